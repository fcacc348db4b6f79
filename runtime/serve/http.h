/*
 * http - requests of strangers, taken apart by libmicrohttpd, and the replies to them.
 *
 * A request belongs to its route (serve/routes.h) from `run` on, which answers at once or later, as
 * a whole or as a stream. Whoever asked may leave at any time, and the server may end: then
 * `abandon` is called, once, and what the route had under way does not use the request any more.
 *
 * Everything runs in turns of one hub, on one thread.
 *
 * Runs: serve. Needs: a listening socket.
 */
#ifndef GLOVEBOX_SERVE_HTTP_H
#define GLOVEBOX_SERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "client/hub.h"
#include "serve/file_store.h"

#define HTTP_SEGMENTS 6
#define HTTP_NO_BODY  65536 /* bytes of a body that is read, and not looked at */
#define HTTP_ID_SIZE  65

struct flight;
struct flight_pool;
struct http;
struct key;
struct request;
struct server;
struct tls;

struct route {
	const char *method;
	const char *path; /* "/v1/files/ *" without the blank: a star is one segment */
	void (*run)(struct request *r);
	size_t body_max; /* bytes; it is collected before `run`, unless there is `take` */
	bool is_open;    /* nobody needs a key */
	/*
	 * Each piece, after one without bytes when the headers are there; false: it is refused, no
	 * more is wanted of it, and `run` says why. NULL
	 */
	bool (*take)(struct request *r, const char *bytes, size_t length);
};

struct request {
	struct server *server;
	const struct route *route; /* NULL: there is none */
	const char *method;
	char id[HTTP_ID_SIZE]; /* serve/request_id.h */
	uint64_t began_us;     /* its headers were there; monotonic */
	struct key *key;       /* whose it is (serve/gate.h) */
	struct flight
		*payer; /* that key's, set with it: it is charged for what the request holds */
	char *path;     /* as it was sent */
	char *segments[HTTP_SEGMENTS]; /* decoded, NUL-terminated: those of the stars, in order */
	struct buf body;
	struct file_store_hold held;           /* what is sent, until it has been */
	void *work;                            /* the route's own */
	void (*abandon)(struct request *r);    /* set with it: nobody waits any more */
	void (*end_stream)(struct request *r); /* called after `abandon`; NULL: it is cut */
	struct exchange_state *state;          /* that of the files that know the library */
};

struct http_options {
	int listen_fd;   /* owned from now on */
	struct tls *tls; /* owned from now on (serve/tls.h); NULL: plain */
	unsigned connections_max;
	struct flight_pool *flights; /* borrowed; what payers hold is charged there */
	uint64_t swallow_max; /* bytes of a body that `take` has refused: who sends it shall see why
			       */
	uint64_t headers_ms;  /* within which those of a request have come */
	uint64_t still_ms;    /* the longest that nothing moves; whole seconds count */
	const struct route *routes;       /* end with a null method */
	struct server *server;            /* for the routes */
	void (*begin)(struct request *r); /* its headers are there */
	/* Look at the headers; false: it has been answered. The last is called in any case. */
	bool (*admit)(struct request *r);
	/* Its key may not hold more than it does: answer. */
	void (*turn_away)(struct request *r);
	/* A file for a reply of so many bytes, owned by the caller; -1: none is to be had. */
	int (*spool)(struct request *r, uint64_t bytes);
	/* The server ends, or its key is gone; its route has let go of it (`abandon`): answer. */
	void (*dismiss)(struct request *r);
	void (*forget)(struct request *r);
};

/* http_open - serve from now on. @out  owned: http_close(). Errors: ERR_SYSTEM. */
int http_open(struct hub *hub, const struct http_options *options, struct http **out,
	      struct err *e);

/* Close every connection; each request is abandoned, and dismissed. Safe on NULL. */
void http_close(struct http *h);

/*
 * http_dismiss - the requests of this key are abandoned, and dismissed; a body that comes ends its
 * connection. A reply that is complete is still sent.
 */
void http_dismiss(struct http *h, const struct key *key);

/* http_set_tls - another certificate, for who comes from now on. @tls  taken over. */
void http_set_tls(struct http *h, struct tls *tls);

/* Accept nobody any more. */
void http_quiesce(struct http *h);

/* The status of the reply; 0: there was none. */
unsigned request_status(const struct request *r);

/* Every request whose headers have come has been answered, to its last byte. */
bool http_is_idle(const struct http *h);

/* Bytes of that reply's body; whether all of it has been sent (when it is forgotten). */
uint64_t request_sent(const struct request *r);
bool request_is_complete(const struct request *r);

/* A header of the request, or NULL. */
const char *request_header(const struct request *r, const char *name);

/* How often it is there. */
unsigned request_header_count(const struct request *r, const char *name);

/* The bytes of its body, as Content-Length says; 0: it does not. */
uint64_t request_length(const struct request *r);

/* A header of the reply, set before it. */
void request_set_header(struct request *r, const char *name, const char *value);

/*
 * request_reply - the whole reply.
 * @body  taken over; NULL: none.
 */
void request_reply(struct request *r, unsigned status, const char *type, struct buf *body);

/*
 * request_reply_file - a file as the reply.
 * @fd  for reading, taken over; sent from its beginning.
 */
void request_reply_file(struct request *r, const char *type, int fd, uint64_t size);

/* {"detail": text} */
void request_refuse(struct request *r, unsigned status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A reply that comes piece by piece: begin, then any number of request_send(), then one end. */
void request_stream(struct request *r, unsigned status, const char *type);
void request_send(struct request *r, const void *bytes, size_t length);
void request_end(struct request *r);

#endif
