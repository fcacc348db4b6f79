/*
 * http_client - one HTTP request at a time, its answer streamed to a callback; the only user of
 * libcurl.
 *
 * There is no limit on the whole time, because a model may need minutes for its first word: a
 * connection must be made within `connect_ms`, and something useful must come every `stall_ms` of
 * the request. The number of bytes is bounded, whatever they are (budget.h). Redirections are never
 * followed, compressed answers never requested, proxies never used for addresses of this machine.
 * Nothing is retried here.
 *
 * Runs: the agent. Needs: the network. libcurl looks up host names in a thread of its own.
 */
#ifndef GLOVEBOX_AGENT_HTTP_CLIENT_H
#define GLOVEBOX_AGENT_HTTP_CLIENT_H

#include <stdint.h>

#include "agent/server/server_url.h"
#include "base/buf.h"
#include "base/err.h"

struct http_client;

struct http_request {
	const char *path;       /* appended to the base URL */
	const struct buf *body; /* JSON; NULL: GET instead of POST */
	int cancel_fd;          /* readable: stop at once; -1: never */
	uint64_t stall_ms;      /* the longest time without useful content */
	uint64_t bytes_max;     /* of the whole answer; 0: BUDGET_BYTES */

	/*
	 * Gets the body of an answer with status 200, in pieces of any size; the status and the
	 * type are in the answer by then. 1: no more is wanted than what
	 * comes at once; -1: give up.
	 */
	int (*take)(void *context, const char *bytes, size_t length);
	/*
	 * Grows with the useful part of what take() got; NULL: the body must end within stall_ms.
	 */
	uint64_t (*content)(void *context);
	/* Called a few times a second, whether anything comes or not; NULL. */
	void (*tick)(void *context);
	void *context;
};

enum http_outcome {
	HTTP_ANSWERED, /* completely, with any status */
	HTTP_REFUSED,  /* nothing listens there */
	HTTP_NO_HOST,  /* its name has no address */
	HTTP_NO_ROUTE, /* no connection within connect_ms, or none possible */
	HTTP_STALLED,  /* nothing useful came for stall_ms */
	HTTP_IDLE,     /* too much without useful content */
	HTTP_ENDLESS,  /* more than bytes_max */
	HTTP_HEADERS,  /* endless headers */
	HTTP_DROPPED,  /* the connection ended before the answer did */
	HTTP_TAKEN,    /* take() gave up */
	HTTP_CANCELLED,
	HTTP_NO_TRUST, /* its certificate */
	HTTP_FAILED,   /* all else: TLS, not HTTP */
};

struct http_answer {
	enum http_outcome outcome;
	long status; /* 0: none came */
	bool any;    /* a byte of a body with status 200 came */
	char content_type[64];
	char location[200];    /* target of a redirection; "" */
	struct buf error_body; /* with any other status than 200; at most 64 KiB */
	char detail[256];      /* libcurl's words, for messages */
};

/*
 * http_client_open - prepare to talk to one server.
 *
 * @api_key  sent as a bearer token; NULL: none. Copied.
 * @ca       file of the certificates that a server with TLS is judged by; NULL: those of this
 *           machine. Lives as long as the client.
 * @out      owned: http_client_close().
 * Errors: ERR_INPUT for a key that cannot be in a header, ERR_SYSTEM.
 */
int http_client_open(const struct server_url *url, const char *api_key, const char *ca,
		     uint64_t connect_ms, struct http_client **out, struct err *e);

/* NULL: does nothing. */
void http_client_close(struct http_client *c);

/*
 * http_send - send a request and wait for the end of its answer; *out is owned: http_answer_fini().
 */
void http_send(struct http_client *c, const struct http_request *request, struct http_answer *out);
void http_answer_fini(struct http_answer *answer);

#endif
