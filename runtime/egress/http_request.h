/*
 * http_request - follow what a client says in HTTP/1.x, so that every request is for one host.
 *
 * Servers choose the site by Host, in each request of a connection anew. The follower knows where
 * each request begins, and lets through only those of one host (http_head.h). Nothing of a head is
 * let through before all of it is known to be good; bodies pass as they come. Where a request ends
 * is told by Content-Length or by chunks, which are followed: a request in a body is none.
 *
 * A request for an Upgrade to websocket may only be the first of its connection. Then the first
 * answer of the server that is not an interim one is the answer to it (http_answer.h), and no
 * answers need to be followed to know that. Until then nothing behind that request is let through.
 *
 * Fields that well-known servers and proxies take for the host, or that have a proxy drop others,
 * are judged as Host is. What else a server does with a request that is for it is beyond this.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_HTTP_REQUEST_H
#define GLOVEBOX_EGRESS_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "egress/http_head.h"

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
