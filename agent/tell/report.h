/*
 * report - what the model is told about an execution.
 *
 * The text begins with [EXECUTION RESULT], or with the name of the limit that was exceeded. A
 * program's output is resolved as a terminal would (base/terminal_text.h), and its length counts
 * only then. It stands in fences, made harmless (defuse.h): it cannot end its fence and cannot look
 * like a heading of ours or a turn of the chat. Long output keeps its head and tail with a count of
 * what is left out. A traceback is never cut unless it alone is larger than
 * REPORT_TRACEBACK_BYTES: then the middle of long messages goes.
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
	size_t output_bytes;  /* most for each stream; 0: REPORT_OUTPUT_BYTES */
	const char *note;     /* of extract.h, added at the end; NULL */
	unsigned rounds_left; /* replies that the model may still give */
	bool say_rounds;
	bool has_network; /* its code may reach some hosts: then a missing module is no dead end */
	bool say_answer;  /* mention <FINAL_ANSWER> after a success */
};

/* The bytes that fit into a context of `num_ctx` tokens (0: unknown). */
size_t report_output_bytes(uint64_t num_ctx);

/* Append the text to *out. */
void report_write(const struct execution *x, const struct report_options *o, struct buf *out);

#endif
