/*
 * http_exchange - one request and its reply, from its head to its last byte; shared by http*.c.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_EXCHANGE_H
#define GLOVEBOX_WEB_HTTP_EXCHANGE_H

#include "web/head.h"
#include "web/http.h"

struct http_connection;

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
	struct http_connection *connection;
	struct head head;
	char *text; /* of the head */
	enum stage stage;
	bool is_stream;
	bool is_over;        /* the end of the stream was sent */
	bool is_last;        /* the connection ends with the reply */
	bool is_too_large;   /* body too large */
	bool is_refused;     /* refused by its route, at the headers or in the body */
	bool is_turned_away; /* the key's requests hold too much for this body */
	bool has_rest;       /* of its body, which is not read before the reply */
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
	uint64_t swallowed;    /* bytes of its body read and dropped */
	uint64_t given;        /* bytes of the reply's body given to the connection */
	bool is_complete;      /* all of the reply was sent */
	struct hub_timer turn; /* when to parse its long body */
	struct {
		const char *name;
		char *value;
	} headers[16];
	unsigned header_count;
};

/* -- the request (http_exchange.c) ----------------------------------------------------------- */

/*
 * http_exchange_begin - begin with a head.
 *
 * @text  head_size() bytes; taken over. NULL: it is larger than a head may be.
 * Owned: http_exchange_end(). Its body is read before the reply, unless has_rest is set.
 */
struct exchange_state *http_exchange_begin(struct http_connection *c, char *text, size_t length);

/* Take a piece of the body. Returns false if so much was refused already: the connection ends. */
bool http_exchange_take(struct exchange_state *x, const char *bytes, size_t length);

/* The body is complete: run the route, unless it has been refused. */
void http_exchange_run(struct exchange_state *x);

/* The end of the body cannot be known: refuse it. The connection ends with the reply. */
void http_exchange_spoil(struct exchange_state *x, const char *why);

/* Abandon its work, unless it is over, and free it. */
void http_exchange_end(struct exchange_state *x, bool is_complete);

/*
 * Shutdown: abandon the work and refuse the request; a started stream gets its final event, or is
 * cut.
 */
void http_exchange_leave(struct exchange_state *x);

/* -- the reply (http_reply.c) ---------------------------------------------------------------- */

/* Write the status and the headers. */
void http_reply_head(struct exchange_state *x, struct buf *out);

enum reply_piece {
	REPLY_GOES_ON,
	REPLY_WAITS, /* its route adds more later */
	REPLY_OVER,
	REPLY_BROKEN, /* cut the connection */
};

/* Write the next piece of the body, of some 32 KiB at most, unless it waits or is over. */
enum reply_piece http_reply_piece(struct exchange_state *x, struct buf *out);

#endif
