/*
 * http_exchange - one request and its reply as libmicrohttpd sees them; shared by http*.c, the only
 * files that know the library.
 *
 * While its route works, a request is suspended: libmicrohttpd does not watch its connection then,
 * so we watch for a client that disconnects.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_EXCHANGE_H
#define GLOVEBOX_WEB_HTTP_EXCHANGE_H

#include <microhttpd.h>

#include "web/http.h"
#include "web/http_peer.h"

struct http {
	struct hub *hub;
	struct MHD_Daemon *daemon;
	struct hub_watch watch;
	struct hub_timer timer;
	struct hub_timer arrival_timer;
	bool is_quiet;                 /* draining: not listening */
	unsigned connections;          /* open */
	unsigned leaving;              /* of `connections`: shut down, not yet closed */
	struct http_peers peers;       /* their addresses */
	struct arrival *first_arrival; /* oldest first (web/http_arrival.h) */
	struct arrival **last_arrival; /* end of the list */
	struct http_options options;
	struct exchange_state *first; /* all that have not ended */
	unsigned runs_at_once;        /* after which the library asked for another one at once */
};

enum stage {
	STAGE_BODY,  /* headers are complete */
	STAGE_WORK,  /* belongs to its route */
	STAGE_READY, /* reply complete, or stream begun */
	STAGE_ENDED, /* all of a stream has been added */
	STAGE_LEFT,  /* the client disconnected */
};

struct exchange_state {
	struct request request;
	struct exchange_state *next;
	struct exchange_state **at;
	struct http *http;
	struct MHD_Connection *connection;
	enum stage stage;
	bool is_suspended;
	bool is_stream;
	bool is_queued;      /* the library has the reply */
	bool is_too_large;   /* body too large */
	bool is_refused;     /* refused by its route, at the headers or in the body */
	bool is_unclear;     /* ambiguous end of the body */
	bool is_turned_away; /* the key's requests hold too much for this body */
	unsigned status;
	const char *type; /* a literal */
	struct buf body;  /* of the reply; of a stream the unsent part */
	size_t sent;      /* bytes of `body` sent */
	int file;         /* owned; sent in place of `body`; -1 */
	uint64_t file_size;
	uint64_t body_max;      /* bytes; 0: the request was refused before */
	uint64_t taken;         /* bytes of its body received */
	uint64_t body_charged;  /* bytes of memory charged for the body */
	uint64_t reply_charged; /* bytes of memory charged for the reply */
	uint64_t file_charged;
	uint64_t swallowed; /* bytes of its body read and dropped */
	uint64_t given;     /* bytes of the reply given to the library */
	bool is_complete;   /* all of the reply was sent */
	struct hub_watch watch;
	struct hub_timer turn; /* when to parse its long body */
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

/* Suspend the request: the library does not watch its connection until http_resume(). */
void http_suspend(struct exchange_state *x);
void http_resume(struct exchange_state *x); /* safe when it is not suspended */

/* Give the library the reply, as far as it exists. */
enum MHD_Result http_send(struct exchange_state *x);

#endif
