/*
 * budget - bound the cost of an answer: total bytes, and bytes and time without useful content.
 */
#include "agent/server/budget.h"

void budget_begin(struct budget *b, uint64_t bytes_max, uint64_t stall_ms, uint64_t now_ms)
{
	*b = (struct budget){
		.bytes_max = bytes_max ? bytes_max : BUDGET_BYTES,
		.stall_ms = stall_ms,
		.counter = UINT64_MAX,
		.useful_at_ms = now_ms,
	};
}

/* Count from the connection's present counter: earlier bytes belong to other answers. */
static void budget_count(struct budget *b, uint64_t counter)
{
	if (b->counter == UINT64_MAX)
		b->counter = counter;
	b->received_bytes += counter >= b->counter ? counter - b->counter : counter;
	b->counter = counter;
}

enum budget_verdict budget_check(struct budget *b, uint64_t counter, uint64_t useful,
				 uint64_t now_ms)
{
	budget_count(b, counter);
	if (useful != b->useful) {
		b->useful = useful;
		b->useful_at_ms = now_ms;
		b->useful_at_bytes = b->received_bytes;
	}
	if (b->received_bytes > b->bytes_max)
		return BUDGET_SPENT;
	if (b->received_bytes - b->useful_at_bytes > BUDGET_IDLE_BYTES)
		return BUDGET_IDLE;
	return now_ms - b->useful_at_ms >= b->stall_ms ? BUDGET_STALLED : BUDGET_LEFT;
}

uint64_t budget_patience_ms(const struct budget *b, uint64_t now_ms)
{
	uint64_t silent = now_ms - b->useful_at_ms;

	return silent < b->stall_ms ? b->stall_ms - silent : 0;
}
