/*
 * http_client - send one HTTP request at a time, and stream its answer to a callback; the only user
 * of libcurl.
 *
 * The total time is not limited, because a model may need minutes for its first word: connecting
 * has `connect_ms`, and useful content must arrive every `stall_ms`. The number of bytes is
 * bounded, whatever they are (budget.h). The client never follows redirections, requests
 * compression, uses proxies for addresses of this machine, or retries.
 *
 * Runs: the agent. Needs: the network. libcurl resolves host names in a thread of its own.
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
	 * Receives the body of an answer with status 200, in pieces of any size; status and type
	 * are in the answer by then. 1: enough, except for bytes already received; -1: fail.
	 */
	int (*take)(void *context, const char *bytes, size_t length);
	/* Returns a measure of useful content so far; NULL: the body must end within stall_ms. */
	uint64_t (*content)(void *context);
	/* Called a few times a second, with or without data; NULL. */
	void (*tick)(void *context);
	void *context;
};

enum http_outcome {
	HTTP_ANSWERED, /* complete, with any status */
	HTTP_REFUSED,  /* connection refused */
	HTTP_NO_HOST,  /* the host name has no address */
	HTTP_NO_ROUTE, /* no connection within connect_ms, or none possible */
	HTTP_STALLED,  /* nothing useful came for stall_ms */
	HTTP_IDLE,     /* too many bytes without useful content */
	HTTP_ENDLESS,  /* more than bytes_max */
	HTTP_HEADERS,  /* too many bytes of headers */
	HTTP_DROPPED,  /* the connection ended in the answer */
	HTTP_TAKEN,    /* take() failed */
	HTTP_CANCELLED,
	HTTP_NO_TRUST, /* the certificate is not trusted */
	HTTP_FAILED,   /* anything else: TLS, not HTTP */
};

struct http_answer {
	enum http_outcome outcome;
	long status; /* 0: none received */
	bool any;    /* a byte of a body with status 200 arrived */
	char content_type[64];
	char location[200];    /* target of a redirection; "" */
	struct buf error_body; /* body of any other status than 200; at most 64 KiB */
	char detail[256];      /* libcurl's error text, for messages */
};

/*
 * http_client_open - prepare requests to one server.
 *
 * @api_key  sent as a bearer token; NULL: none. Copied.
 * @ca       file of the certificates that a server with TLS is judged by; NULL: those of this
 *           machine. Lives as long as the client.
 * @out      owned: http_client_close().
 * Errors: ERR_INPUT: the key cannot be in a header; ERR_SYSTEM.
 */
int http_client_open(const struct server_url *url, const char *api_key, const char *ca,
		     uint64_t connect_ms, struct http_client **out, struct err *e);

/* Safe on NULL. */
void http_client_close(struct http_client *c);

/*
 * http_send - send a request and wait for the end of its answer; *out is owned: http_answer_fini().
 */
void http_send(struct http_client *c, const struct http_request *request, struct http_answer *out);
void http_answer_fini(struct http_answer *answer);

#endif
