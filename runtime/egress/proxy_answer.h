/*
 * proxy_answer - what a proxy says to CONNECT: a head of HTTP/1.x, and then the server's bytes.
 *
 * Whatever the head says beside its status means nothing here (RFC 9110, 9.3.6: a 200 has no body,
 * and a length in it is not looked at). Only 200 opens the connection; interim answers are skipped.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_PROXY_ANSWER_H
#define GLOVEBOX_EGRESS_PROXY_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "egress/http_answer.h"

#define PROXY_ANSWER_MAX 16384 /* bytes of a head, interim answers included */

enum proxy_answer_state {
	PROXY_MORE,    /* the head is not whole */
	PROXY_OPEN,    /* what comes next is the server's */
	PROXY_REFUSED, /* status.status is the proxy's word, or -1: this is no answer (`why`) */
};

/* All zero is the start. */
struct proxy_answer {
	struct answer_reader status;
	const char *why; /* static, for people; NULL: the status says it */

	size_t taken; /* what follows is the reader's own */
	size_t line;  /* bytes of the current line behind the status line */
	bool has_cr;
	enum proxy_answer_state state;
};

/*
 * proxy_answer_feed - read more of it, in pieces of any size.
 *
 * @used  out: how many of these bytes belong to the head: all of them, unless it has ended.
 * A state other than PROXY_MORE is final, and nothing more is used.
 */
enum proxy_answer_state proxy_answer_feed(struct proxy_answer *reader, const uint8_t *bytes,
					  size_t size, size_t *used) __attribute__((nonnull(1, 4)));

#endif
