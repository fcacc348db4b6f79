/*
 * http_request - follow a client's HTTP/1.x requests, and admit only those for one host.
 *
 * Servers choose the site by the Host of each request, not of each connection. The follower finds
 * the begin of every request, and admits only requests for one host (http_head.h). It holds a head
 * until all of it is judged, and passes bodies on as they arrive. Content-Length or chunks tell
 * where a body ends, so bytes of a body are never taken for a request.
 *
 * Only the first request of a connection may ask for an Upgrade, to websocket. The server's first
 * final answer then belongs to it (http_answer.h), so the follower need not match answers to
 * requests. Until that answer it holds all bytes after the request.
 *
 * Fields that well-known servers and proxies take for the host, or that make a proxy drop other
 * fields, are judged like Host. The follower cannot know what else a server does with a request
 * that is meant for it.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_PROTOCOL_HTTP_REQUEST_H
#define GLOVEBOX_PROTOCOL_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/http_head.h"

#define HTTP_HEAD_MAX 65536 /* bytes of a request's head, and of trailers */
#define HTTP_LINE_MAX 256   /* bytes of the line before a chunk */

enum http_place {
	HTTP_HEAD,
	HTTP_LENGTH,     /* in a body of known length */
	HTTP_CHUNK_SIZE, /* in the line before a chunk */
	HTTP_CHUNK,      /* in a chunk */
	HTTP_CHUNK_END,  /* in the empty line after a chunk */
	HTTP_TRAILERS,   /* in the trailers after the last chunk */
	HTTP_UPGRADE,    /* after a request for an upgrade: waits for the answer */
	HTTP_OPAQUE,     /* upgraded */
	HTTP_REFUSED,
};

/* Made by http_follower_init(); owns nothing. */
struct http_follower {
	const char *why;    /* refused: a static message; else NULL */
	bool upgrade_asked; /* feed the server's bytes to an answer_reader */
	uint64_t requests;  /* requests admitted */

	enum http_place place; /* private to the follower */
	struct http_host host;
	struct http_head head;
	uint64_t left;  /* bytes left of a body or a chunk */
	size_t scanned; /* bytes of held lines already scanned */
	size_t line;    /* offset of the last held line */
	size_t lines;
};

/*
 * http_follower_init - start at a connection's first byte.
 *
 * @name  the canonical name to which the connection leads, or the text of an address; copied.
 * @port  of the connection; "Host: name:port" must name it.
 */
void http_follower_init(struct http_follower *follower, const char *name, uint16_t port)
	__attribute__((nonnull));

/*
 * http_follow - how many of the client's unforwarded bytes may be forwarded.
 *
 * @bytes  borrowed: all client bytes that were not admitted yet, oldest first. HTTP_HEAD and
 *         HTTP_TRAILERS hold at most HTTP_HEAD_MAX bytes: with that many the result is not 0.
 *
 * Returns the number (0: feed more, or call http_follower_answered() first), or -1 with `why`,
 * which is final. If `why` is set and the number is greater than 0, the error follows these bytes,
 * and the next call returns -1. The sum does not depend on how the stream was cut.
 */
ssize_t http_follow(struct http_follower *follower, const uint8_t *bytes, size_t size)
	__attribute__((nonnull(1)));

/*
 * http_follower_answered - after `upgrade_asked`: report the server's status. 101 makes the rest
 * opaque. After another final status HTTP goes on: call http_follow() with the held bytes. Interim
 * statuses (100, 103) change nothing.
 */
void http_follower_answered(struct http_follower *follower, int status) __attribute__((nonnull));

#endif
