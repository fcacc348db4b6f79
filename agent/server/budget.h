/*
 * budget - what an answer may cost: bytes in all, and bytes and time without useful content.
 *
 * A server may send for ever, and what it sends may be white space, comments, keep-alives, empty
 * pieces, headers or extensions of chunks. All of it is counted at the socket, however slowly it
 * comes, and only what adds to the reply resets the count. A model that writes one word a minute
 * may continue; --deadline ends it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_BUDGET_H
#define GLOVEBOX_AGENT_BUDGET_H

#include <stdint.h>

/* More than the longest line or event, which counts as content only when it is complete. */
#define BUDGET_IDLE_BYTES  ((uint64_t)96 << 20)
#define BUDGET_BYTES       ((uint64_t)512 << 20) /* of a reply: 16 MiB of text, a word per line */
#define BUDGET_HEAD_BYTES  ((uint64_t)256 << 10) /* headers, 1xx answers, trailers */
#define BUDGET_IDLE_PIECES 100000 /* a tool call may arrive without showing anything */

enum budget_verdict {
	BUDGET_LEFT,
	BUDGET_STALLED, /* nothing useful for too long */
	BUDGET_IDLE,    /* too much without useful content */
	BUDGET_SPENT,   /* too much in all */
};

struct budget {
	uint64_t bytes_max;
	uint64_t stall_ms;

	uint64_t counter;        /* of the connection, at the last check */
	uint64_t received_bytes; /* since the beginning */
	uint64_t useful;         /* grows with everything useful */
	uint64_t useful_at_ms;
	uint64_t useful_at_bytes; /* received_bytes then */
};

/*
 * budget_begin - start counting; a request is sent now.
 *
 * @bytes_max  of the answer; 0: BUDGET_BYTES.
 * @stall_ms   the longest time without useful content.
 */
void budget_begin(struct budget *b, uint64_t bytes_max, uint64_t stall_ms, uint64_t now_ms);

/*
 * budget_check - check what has come.
 *
 * @counter  bytes that the connection has received; it may restart with another connection.
 * @useful   grows with each byte of our request that was accepted, and with what adds to the reply.
 */
enum budget_verdict budget_check(struct budget *b, uint64_t counter, uint64_t useful,
				 uint64_t now_ms);

/* How long the server may be silent from now on. */
uint64_t budget_patience_ms(const struct budget *b, uint64_t now_ms);

#endif
