/*
 * budget - what an answer may cost: bytes in all, and bytes and time without anything in it.
 *
 * A server may send for ever, and what it sends may be white space, comments, keep-alives,
 * empty pieces, headers or extensions of chunks: whatever it is, and however slowly it comes,
 * it is counted at the socket, and only what adds to the reply begins the count anew. A model
 * that writes one word a minute may go on; --deadline ends it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_BUDGET_H
#define GLOVEBOX_AGENT_BUDGET_H

#include <stdint.h>

/* More than the longest line or event, whose content counts when it is complete. */
#define BUDGET_IDLE_BYTES  ((uint64_t)96 << 20)
#define BUDGET_BYTES       ((uint64_t)512 << 20) /* of a reply: 16 MiB of text, a word per line */
#define BUDGET_HEAD_BYTES  ((uint64_t)256 << 10) /* headers, 1xx answers, trailers */
#define BUDGET_IDLE_PIECES 100000                /* a tool call may be written in silence */

enum budget_verdict {
	BUDGET_LEFT,
	BUDGET_STALLED, /* nothing of use for too long */
	BUDGET_IDLE,    /* too much came that was nothing */
	BUDGET_SPENT,   /* too much came */
};

struct budget {
	uint64_t bytes_max;
	uint64_t stall_ms;

	uint64_t counter;        /* of the connection, when it was last looked at */
	uint64_t received_bytes; /* since the beginning */
	uint64_t useful;         /* whatever grows with what is of use */
	uint64_t useful_at_ms;
	uint64_t useful_at_bytes; /* received_bytes then */
};

/*
 * budget_begin - a request is sent.
 *
 * @bytes_max  of the answer; 0: BUDGET_BYTES.
 * @stall_ms   the longest time in which nothing of use comes.
 */
void budget_begin(struct budget *b, uint64_t bytes_max, uint64_t stall_ms, uint64_t now_ms);

/*
 * budget_check - look at what came.
 *
 * @counter  bytes that the connection has received; it may begin anew with another one.
 * @useful   grows with each byte of our request that was taken, and with what adds to the reply.
 */
enum budget_verdict budget_check(struct budget *b, uint64_t counter, uint64_t useful,
				 uint64_t now_ms);

/* How long nothing may come from now on. */
uint64_t budget_patience_ms(const struct budget *b, uint64_t now_ms);

#endif
