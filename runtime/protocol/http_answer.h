/*
 * http_answer - read the status of a server's first final answer (HTTP/1.x).
 *
 * The follower (http_request.h) admits an Upgrade only as the first request of its connection. So
 * this one status decides, and the bodies and the order of answers do not matter.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_PROTOCOL_HTTP_ANSWER_H
#define GLOVEBOX_PROTOCOL_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_ANSWER_MAX 65536 /* bytes of interim answers */

/* Zero-initialise it. */
struct answer_reader {
	int status;      /* the result of answer_feed() */
	const char *why; /* after -1: a static message */

	size_t taken;  /* private to the reader */
	size_t line;   /* bytes of the current line */
	int digits;    /* digits of the status so far */
	bool is_field; /* the line is a field, not a status line */
	bool has_cr;
};

/*
 * answer_feed - read more of the server's bytes, from the first of the connection, in pieces of any
 * size. Interim answers (1xx, but not 101) are skipped.
 *
 * Returns 0: feed more; 101 or 200 to 999: the status; -1: not an answer of HTTP/1.x, or endless
 * interim ones. A result is final.
 */
int answer_feed(struct answer_reader *reader, const uint8_t *bytes, size_t size)
	__attribute__((nonnull(1)));

#endif
