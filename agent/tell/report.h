/*
 * report - tell the model the outcome of an execution.
 *
 * The text begins with [EXECUTION RESULT], or with the name of the exceeded limit. A program's
 * output is first resolved as a terminal would (base/terminal_text.h), and then measured. It stands
 * in fences, defused (defuse.h): it cannot end its fence, nor look like a heading of ours or a turn
 * of the chat. Long output keeps its head and tail, with a count of what is left out. A traceback
 * stays whole unless it alone exceeds REPORT_TRACEBACK_BYTES: then long messages lose their middle.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_REPORT_H
#define GLOVEBOX_AGENT_REPORT_H

#include <stddef.h>

#include "agent/data/execution.h"
#include "base/buf.h"

#define REPORT_OUTPUT_BYTES    6000 /* of each stream, if num_ctx is unknown */
#define REPORT_TRACEBACK_BYTES 12000

struct report_options {
	size_t output_bytes;  /* of each stream; 0: REPORT_OUTPUT_BYTES */
	const char *note;     /* of extract.h, appended; NULL */
	unsigned rounds_left; /* replies left to the model */
	bool say_rounds;
	bool has_network; /* its code may reach some hosts: a missing module can be installed */
	bool say_answer;  /* mention <FINAL_ANSWER> after a success */
};

/* Return the bytes that fit into a context of `num_ctx` tokens (0: unknown). */
size_t report_output_bytes(uint64_t num_ctx);

/* Append the report to *out. */
void report_write(const struct execution *x, const struct report_options *o, struct buf *out);

#endif
