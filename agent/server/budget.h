/*
 * budget - bound the cost of an answer: total bytes, and bytes and time without useful content.
 *
 * A server may send for ever: white space, comments, keep-alives, empty pieces, headers or
 * extensions of chunks. All bytes are counted at the socket, however slowly they arrive, and only
 * additions to the reply reset the count. A model that writes one word a minute may continue;
 * --deadline ends it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_BUDGET_H
#define GLOVEBOX_AGENT_BUDGET_H

#include <stdint.h>

/* More than the longest line or event, which counts as content only once it is complete. */
#define BUDGET_IDLE_BYTES  ((uint64_t)96 << 20)
#define BUDGET_BYTES       ((uint64_t)512 << 20) /* of a reply: 16 MiB of text, a word per line */
#define BUDGET_HEAD_BYTES  ((uint64_t)256 << 10) /* headers, 1xx answers, trailers */
#define BUDGET_IDLE_PIECES 100000                /* a tool call may arrive without visible text */

enum budget_verdict {
	BUDGET_LEFT,
	BUDGET_STALLED, /* nothing useful for too long */
	BUDGET_IDLE,    /* too many bytes without useful content */
	BUDGET_SPENT,   /* too many bytes in total */
};

struct budget {
	uint64_t bytes_max;
	uint64_t stall_ms;

	uint64_t counter;        /* bytes received by the connection, at the last check */
	uint64_t received_bytes; /* since budget_begin() */
	uint64_t useful;         /* the caller's measure of useful content */
	uint64_t useful_at_ms;
	uint64_t useful_at_bytes; /* value of received_bytes when `useful` last grew */
};

/*
 * budget_begin - start counting when a request is sent.
 *
 * @bytes_max  of the answer; 0: BUDGET_BYTES.
 * @stall_ms   the longest time without useful content.
 */
void budget_begin(struct budget *b, uint64_t bytes_max, uint64_t stall_ms, uint64_t now_ms);

/*
 * budget_check - check the bytes received.
 *
 * @counter  bytes received by the connection; restarts with another connection.
 * @useful   grows with each accepted byte of our request, and with additions to the reply.
 */
enum budget_verdict budget_check(struct budget *b, uint64_t counter, uint64_t useful,
				 uint64_t now_ms);

/* Return how long the server may be silent from now on. */
uint64_t budget_patience_ms(const struct budget *b, uint64_t now_ms);

#endif
