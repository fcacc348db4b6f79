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

#define HTTP_HEAD_MAX 65536 /* of a request, and of the fields behind its body */
#define HTTP_LINE_MAX 256   /* of the line in front of a chunk */

enum http_place {
	HTTP_HEAD,
	HTTP_LENGTH,     /* in a body of known length */
	HTTP_CHUNK_SIZE, /* in the line in front of a chunk */
	HTTP_CHUNK,      /* in it */
	HTTP_CHUNK_END,  /* in the empty line behind it */
	HTTP_TRAILERS,   /* in the fields behind the last one */
	HTTP_UPGRADE,    /* behind a request for an upgrade: waits for the answer */
	HTTP_OPAQUE,     /* upgraded */
	HTTP_REFUSED,
};

/* Made by http_follower_init(); owns nothing. */
struct http_follower {
	const char *why;    /* refused: static, for people; else NULL */
	bool upgrade_asked; /* feed the server's bytes to an answer_reader, then tell the status */
	uint64_t requests;  /* that were let through */

	enum http_place place; /* what follows is the follower's own */
	struct http_host host;
	struct http_head head;
	uint64_t left;  /* of a body or a chunk */
	size_t scanned; /* bytes of the lines that are held back */
	size_t line;    /* where the last of these begins */
	size_t lines;
};

/*
 * http_follower_init - begin with a connection's first byte.
 *
 * @name  the canonical name to which the connection leads, or the text of an address; copied.
 * @port  of the connection; "Host: name:port" may have this one only.
 */
void http_follower_init(struct http_follower *follower, const char *name, uint16_t port)
	__attribute__((nonnull));

/*
 * http_follow - how many bytes, of those that are not forwarded yet, may be.
 *
 * @bytes  borrowed: everything that the client has sent and that was not let through before, with
 *         the bytes of earlier calls in front. At most HTTP_HEAD_MAX bytes are ever held back in
 *         HTTP_HEAD and HTTP_TRAILERS; with that many the answer is never 0 there.
 *
 * Returns the number (0: more must come, or http_follower_answered() first), or -1 with `why` for
 * good. If `why` is set and the number is greater than 0, what was found wrong comes behind these
 * bytes, and the next call returns -1. The sum is the same however the stream was cut.
 */
ssize_t http_follow(struct http_follower *follower, const uint8_t *bytes, size_t size)
	__attribute__((nonnull(1)));

/*
 * http_follower_answered - after `upgrade_asked`: what the server said. 101 makes the rest opaque;
 * with another final status HTTP goes on, and the caller calls http_follow() with what it holds.
 * Interim ones (100, 103) change nothing.
 */
void http_follower_answered(struct http_follower *follower, int status) __attribute__((nonnull));

#endif
