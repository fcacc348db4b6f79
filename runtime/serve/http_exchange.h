/*
 * http_exchange - one request and its reply, as libmicrohttpd sees them: what the files share that
 * know it, http*.c, and nobody else.
 *
 * A request that is being worked on is suspended: libmicrohttpd does not look at its connection, so
 * we do, to see whether whoever asked has left.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_EXCHANGE_H
#define GLOVEBOX_SERVE_HTTP_EXCHANGE_H

#include <microhttpd.h>

#include "serve/http.h"
#include "serve/http_peer.h"

struct http {
	struct hub *hub;
	struct MHD_Daemon *daemon;
	struct hub_watch watch;
	struct hub_timer timer;
	struct hub_timer arrival_timer;
	bool is_quiet;                 /* it does not listen any more */
	unsigned connections;          /* that are there */
	unsigned leaving;              /* of them; they have been shut down */
	struct http_peers peers;       /* whose they are */
	struct arrival *first_arrival; /* the one that waits longest (serve/http_arrival.h) */
	struct arrival **last_arrival; /* where the next one is put */
	struct http_options options;
	struct exchange_state *first; /* of all that have not ended */
};

enum stage {
	STAGE_BODY,  /* headers are there */
	STAGE_WORK,  /* its route has it */
	STAGE_READY, /* the reply is complete, or is a stream that has begun */
	STAGE_ENDED, /* of a stream: everything has been added */
	STAGE_LEFT,  /* whoever asked has left */
};

struct exchange_state {
	struct request request;
	struct exchange_state *next;
	struct exchange_state **at; /* what points to it */
	struct http *http;
	struct MHD_Connection *connection;
	enum stage stage;
	bool is_suspended;
	bool is_stream;
	bool is_queued;      /* the library has the reply */
	bool is_too_large;   /* the body was */
	bool is_refused;     /* by its route: by the headers, or in the middle */
	bool is_unclear;     /* where the body ends */
	bool is_turned_away; /* its key may not hold more of the body */
	unsigned status;
	const char *type; /* a literal */
	struct buf body;  /* the reply; of a stream what is not sent yet */
	size_t sent;      /* of it */
	int file;         /* owned; the reply instead; -1 */
	uint64_t file_size;
	uint64_t body_max;      /* of the request; 0: it was refused before */
	uint64_t taken;         /* of its body */
	uint64_t body_charged;  /* in memory */
	uint64_t reply_charged; /* the same */
	uint64_t file_charged;
	uint64_t swallowed; /* of it, for nobody */
	uint64_t given;     /* of the reply's, to the library */
	bool is_complete;   /* and all of it went out */
	struct hub_watch watch;
	struct hub_timer turn; /* its long body is read then */
	struct {
		const char *name;
		char *value;
	} headers[16];
	unsigned header_count;
};

/* MHD_AccessHandlerCallback and MHD_RequestCompletedCallback; the context is a struct http. */
enum MHD_Result http_handle(void *context, struct MHD_Connection *connection, const char *path,
			    const char *method, const char *version, const char *bytes,
			    size_t *length, void **state);
void http_completed(void *context, struct MHD_Connection *connection, void **state,
		    enum MHD_RequestTerminationCode code);

/* The library does not look at it until it is resumed; whoever asked may leave meanwhile. */
void http_suspend(struct exchange_state *x);
void http_resume(struct exchange_state *x); /* safe when it is not suspended */

/* Give the reply, as far as it is there, to the library. */
enum MHD_Result http_send(struct exchange_state *x);

#endif
