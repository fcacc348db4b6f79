/*
 * proxy_answer - read a proxy's answer to CONNECT: an HTTP/1.x head, then the server's bytes.
 *
 * Only the status of the head counts (RFC 9110, 9.3.6: a 200 has no body, and its length is
 * ignored). Only 200 opens the connection; interim answers are skipped.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_PROTOCOL_PROXY_ANSWER_H
#define GLOVEBOX_PROTOCOL_PROXY_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/http_answer.h"

#define PROXY_ANSWER_MAX 16384 /* bytes of a head, interim answers included */

enum proxy_answer_state {
	PROXY_MORE,    /* the head is incomplete */
	PROXY_OPEN,    /* the next bytes are the server's */
	PROXY_REFUSED, /* by status.status; -1: not HTTP/1.x (`why`) */
};

/* Zero-initialise it. */
struct proxy_answer {
	struct answer_reader status;
	const char *why; /* a static message; NULL: the status tells */

	size_t taken; /* private to the reader */
	size_t line;  /* bytes of the current line after the status line */
	bool has_cr;
	enum proxy_answer_state state;
};

/*
 * proxy_answer_feed - read more of the proxy's bytes, in pieces of any size.
 *
 * @used  out: how many of these bytes belong to the head; all, unless it has ended.
 * A state other than PROXY_MORE is final: further calls use no bytes.
 */
enum proxy_answer_state proxy_answer_feed(struct proxy_answer *reader, const uint8_t *bytes,
					  size_t size, size_t *used) __attribute__((nonnull(1, 4)));

#endif
