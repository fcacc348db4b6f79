/*
 * http_parts - what http*.c share: the server, its connections, and a request with its reply.
 *
 * A connection has its turn when its socket is ready or when it was woken. All that happens to its
 * request meanwhile only changes the stage of that. So a route may do anything within a call of it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_PARTS_H
#define GLOVEBOX_WEB_HTTP_PARTS_H

#include <sys/queue.h>

#include "web/channel.h"
#include "web/chunks.h"
#include "web/head.h"
#include "web/http.h"
#include "web/http_peer.h"

struct http {
	struct hub *hub;
	struct http_options options;
	struct listening {
		struct hub_watch watch;
		struct http *http;
		const struct http_listener *given;
	} listening[HTTP_LISTENERS];
	bool is_full;                  /* no listener is watched until there is room again */
	struct hub_timer listen_again; /* there is room for a connection, perhaps */
	struct hub_timer arrival_timer;
	bool is_quiet;        /* draining: not listening */
	unsigned leaving;     /* of `connections`: to be closed at their next turn */
	unsigned connections; /* open */
	LIST_HEAD(http_all, http_connection) all;
	struct http_peers peers;                       /* their addresses */
	TAILQ_HEAD(http_waits, http_connection) waits; /* those with a deadline, oldest first */
	LIST_HEAD(http_exchanges, exchange_state) exchanges;
};

enum phase {
	PHASE_HEADERS, /* also between requests */
	PHASE_BODY,
	PHASE_REFUSED, /* the rest of its body is read, so that the client sees the refusal */
	PHASE_REPLY,
};

/* The deadline of a connection, embedded in it. */
struct arrival {
	TAILQ_ENTRY(http_connection) wait;
	bool waits; /* it has a deadline, and is in the list */
	struct http_peer *peer;
	enum phase phase;
	uint64_t since_us; /* monotonic time of joining the list */
	uint64_t idle_us;  /* idle since, as far as is known */
	uint64_t began_us; /* start of its phase */
	uint64_t moved;    /* bytes moved in its phase */
	bool has_asked;    /* a request on it was answered before */
	bool has_key;      /* its reply is for a request with a key */
};

/* Between the first two and the last one a connection has a request. */
enum http_state {
	HTTP_SHAKES, /* the handshake of TLS */
	HTTP_READS_HEAD,
	HTTP_READS_BODY,
	HTTP_WORKS, /* its route has the request */
	HTTP_SENDS,
	HTTP_WAITS,   /* its route adds to the stream later */
	HTTP_TUNNELS, /* after an upgrade */
	HTTP_LINGERS, /* all is sent; what still comes is dropped, or a reset could take the reply
		       */
};

struct http_connection {
	struct http *http;
	const struct http_listener *listener;
	LIST_ENTRY(http_connection) link;
	struct channel channel;
	struct hub_watch watch;
	struct hub_timer wake;
	enum http_state state;
	uint32_t events; /* watched for */
	bool is_leaving; /* close it at its next turn */
	bool is_running; /* in its turn */
	unsigned reads;  /* and writes, in this turn */
	struct buf in;   /* received, not yet used */
	size_t seen;     /* bytes of it in which no head ends */
	struct buf out;  /* to be sent */
	size_t sent;     /* bytes of it */
	uint64_t dropped;
	struct exchange_state *exchange; /* NULL: between requests */
	struct chunks chunks;            /* of its body */
	uint64_t left;                   /* bytes of its body; without chunks */
	struct arrival arrival;
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
	LIST_ENTRY(exchange_state) link;
	struct http *http;
	struct http_connection *connection;
	const struct site *site;
	struct head head;
	char *text;       /* of the head */
	const char *path; /* that the routes see */
	enum stage stage;
	const struct duplex *duplex; /* after an upgrade; NULL */
	const char *protocol;        /* of it; NULL: none is named */
	bool is_paused;              /* its route takes no bytes of the client now */
	bool is_deaf;                /* the client sends no more */
	bool is_undrained;           /* its route has sent bytes that it was not told to be gone */
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

/* The stage of its request has changed: it has a turn soon. */
static inline void http_wake(struct http_connection *c)
{
	if (!c->is_running)
		hub_ring(c->http->hub, &c->wake, 0);
}

#endif
