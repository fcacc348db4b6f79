/*
 * http - requests of clients (HTTP/1.1, RFC 9112), and the replies to them.
 *
 * From `run` on a request belongs to its route (serve/routes.h), which answers at once or later, as
 * a whole or as a stream. If the client disconnects or the server shuts down before, `abandon` is
 * called once, and the route's work must not touch the request any more.
 *
 * Everything runs in turns of one hub, on one thread.
 *
 * Runs: serve. Needs: a listening socket.
 */
#ifndef GLOVEBOX_WEB_HTTP_H
#define GLOVEBOX_WEB_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "client/hub.h"
#include "web/origin.h"

#define HTTP_SEGMENTS 6
#define HTTP_NO_BODY  65536 /* bytes of a body that the route ignores */
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
	size_t body_max; /* bytes; collected before `run`, unless `take` is set */
	bool is_open;    /* works without a key */
	/*
	 * Called with length 0 once the headers are in, then once per piece. Return false to refuse
	 * the body; run() then sends the reply. NULL: the route takes no stream.
	 */
	bool (*take)(struct request *r, const char *bytes, size_t length);
};

struct request {
	struct server *server;     /* the site's; opaque here */
	const struct route *route; /* NULL: unknown path */
	const char *method;
	char id[HTTP_ID_SIZE]; /* web/request_id.h */
	uint64_t began_us;     /* monotonic time at which its headers were complete */
	struct key *key;       /* whose request it is: set by the site; opaque here */
	struct flight
		*payer;   /* that key's, set with it: it is charged for what the request holds */
	const char *path; /* as sent, without what follows a question mark */
	char *segments[HTTP_SEGMENTS]; /* decoded, NUL-terminated; one per star of the route */
	struct buf body;
	void *held; /* the site's charge for the bytes being sent, until `forget` */
	void *work; /* the route's data */
	/* set together with `work`: the client is gone, or the server shuts down */
	void (*abandon)(struct request *r);
	void (*end_stream)(struct request *r); /* called after `abandon`; NULL: the stream is cut */
	struct exchange_state *state;          /* private to http*.c */
};

#define HTTP_LISTENERS 8

/* A socket, and the face on it. */
struct http_listener {
	int fd;                  /* taken over */
	enum origin_listen kind; /* where its clients are */
	const struct site *site; /* borrowed */
};

struct http_options {
	struct http_listener listeners[HTTP_LISTENERS];
	unsigned listener_count;
	struct tls *tls; /* taken over (web/tls.h); NULL: plain */
	unsigned connections_max;
	struct flight_pool
		*flights; /* borrowed; payers are charged there; NULL: no request has one */
	/*
	 * Bytes of a body still read after `take` has refused it: then the client sees the reply.
	 */
	uint64_t swallow_max;
	uint64_t headers_ms;   /* deadline for the headers of a request */
	uint64_t still_ms;     /* longest time without progress */
	struct server *server; /* for the sites' functions */
};

/* A face on a listener. */
struct site {
	const struct route *routes; /* end with a null method */
	/* Whether a connection is taken; else it is closed at once. NULL: each is. */
	bool (*welcomes)(int fd);
	/* How many bytes of a path come before what the routes have; NULL: none. */
	size_t (*prefix)(const char *path);
	void (*begin)(struct request *r); /* the headers of a request are complete; NULL */
	/* Judge the headers; false: refused and answered. NULL: all are admitted. */
	bool (*admit)(struct request *r);
	/* Refuse: the key's requests hold too much already. */
	void (*turn_away)(struct request *r);
	/* Return a file for a reply of so many bytes to a payer, owned by the caller; -1: none. */
	int (*spool)(struct request *r, uint64_t bytes);
	/*
	 * The route has abandoned the request, since the server shuts down or its key is removed:
	 * refuse it.
	 */
	void (*dismiss)(struct request *r);
	void (*forget)(struct request *r); /* it has ended, admitted or not; NULL */
	const char *refusal_type;          /* Content-Type of a refusal */
	/* Write the body of a refusal. @text  a sentence of bytes that a client may have chosen */
	void (*explain)(unsigned status, const char *text, size_t length, struct buf *body);
};

/* http_open - start to serve. @out  owned: http_close(). Errors: ERR_SYSTEM. */
int http_open(struct hub *hub, const struct http_options *options, struct http **out,
	      struct err *e);

/* Abandon and dismiss all requests, and close all connections. Safe on NULL. */
void http_close(struct http *h);

/*
 * http_dismiss - abandon and dismiss the requests of a key, and cut the connections that still send
 * a body. A complete reply is still sent.
 */
void http_dismiss(struct http *h, const struct key *key);

/* http_set_tls - use another certificate for new connections. @tls  taken over. */
void http_set_tls(struct http *h, struct tls *tls);

/* Stop accepting connections. */
void http_quiesce(struct http *h);

/* Return the status of the reply; 0: none was sent. */
unsigned request_status(const struct request *r);

/* Whether every request has been answered to its last byte. */
bool http_is_idle(const struct http *h);

/* Bytes of the reply's body; whether they were sent entirely (valid in `forget`). */
uint64_t request_sent(const struct request *r);
bool request_is_complete(const struct request *r);

/* A header of the request, or NULL. */
const char *request_header(const struct request *r, const char *name);

/* The part of the path behind a question mark, as sent (web/query.h); "": nothing. */
const char *request_query(const struct request *r);

/* Where the client of a request is, as far as its listener tells. */
enum origin_listen request_listen(const struct request *r);

/* Return how often a header occurs. */
unsigned request_header_count(const struct request *r, const char *name);

/* Return Content-Length; 0: the header is missing. */
uint64_t request_length(const struct request *r);

/* The connection ends with the reply; called before it. */
void request_close(struct request *r);

/* Set a header of the reply, before the reply. */
void request_set_header(struct request *r, const char *name, const char *value);

/*
 * request_reply - send a whole reply.
 * @body  taken over; NULL: none.
 */
void request_reply(struct request *r, unsigned status, const char *type, struct buf *body);

/*
 * request_reply_file - send a file as the reply.
 * @fd  for reading, taken over; sent from its beginning.
 */
void request_reply_file(struct request *r, const char *type, int fd, uint64_t size);

/* request_refuse - refuse a request in the site's form. */
void request_refuse(struct request *r, unsigned status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A connection after request_upgrade(): bytes go both ways, and each half ends by itself. Both have
 * back-pressure: a client whose bytes are not taken can send no more.
 */
struct duplex {
	/*
	 * Take bytes of the client, and return how many. 0: none now; request_resume() offers them
	 * again. Called once with length 0 when the client sends no more.
	 */
	size_t (*take)(struct request *r, const char *bytes, size_t length);
	void (*drained)(struct request *r); /* all that was sent is gone; NULL */
	bool chunks; /* without an upgrade: the reply goes in chunks, not as bare bytes */
};

/* Whether the client asks to upgrade to this protocol. */
bool request_asks_upgrade(const struct request *r, const char *protocol);

/*
 * request_upgrade - begin. request_send() and request_end() are the route's half; what follows the
 * request on the connection is the client's.
 *
 * @protocol  of the reply 101; NULL: it is 200, without a length and of this type.
 */
void request_upgrade(struct request *r, const char *protocol, const char *type,
		     const struct duplex *duplex);
void request_resume(struct request *r);

/* Bytes of request_send() that are not gone yet. */
size_t request_unsent(const struct request *r);

/* Whether the client has read all that was sent, the head included. */
bool request_is_read(const struct request *r);

/* Send a reply in pieces: request_stream(), any number of request_send(), one request_end(). */
void request_stream(struct request *r, unsigned status, const char *type);
void request_send(struct request *r, const void *bytes, size_t length);
void request_end(struct request *r);

/* End a stream in its middle: the client sees that it was cut. */
void request_cut(struct request *r);

#endif
