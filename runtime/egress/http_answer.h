/*
 * http_answer - the status of the first answer on a connection of HTTP/1.x.
 *
 * The follower (http_request.h) lets a request for an Upgrade through only as the first of its
 * connection. So nothing needs to be known of answers but this one status, and neither their bodies
 * nor their order have to be followed.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_HTTP_ANSWER_H
#define GLOVEBOX_EGRESS_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_ANSWER_MAX 65536 /* bytes of interim answers */

/* All zero is the start. */
struct answer_reader {
	int status;      /* the result: of answer_feed() */
	const char *why; /* -1: static, for people */

	size_t taken;  /* what follows is the reader's own */
	size_t line;   /* bytes of the current line */
	int digits;    /* what its status line says */
	bool is_field; /* it is none */
	bool has_cr;
};

/*
 * answer_feed - read more of what the server sends, from the connection's first byte on, in pieces
 * of any size. Interim answers (1xx, but not 101) are skipped.
 *
 * Returns 0: more must come; 101 or 200 to 999: the status; -1: not an answer of HTTP/1.x, or
 * interim ones without an end. A result is final.
 */
int answer_feed(struct answer_reader *reader, const uint8_t *bytes, size_t size)
	__attribute__((nonnull(1)));

#endif
