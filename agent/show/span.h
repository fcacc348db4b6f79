/*
 * span - one line of Markdown as runs of text of one style: **bold**, *italic*, `code`.
 *
 * A mark without its counterpart in the same line, within SPAN_BYTES, is text.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_SPAN_H
#define GLOVEBOX_AGENT_SPAN_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/show/console.h"

#define SPAN_BYTES 500 /* longest text between two marks */

struct span {
	bool bold;
	bool italic;
	bool code;
	bool undecided; /* out: a mark was taken for text, and what is to come may make it one */
};

/* A line as far as it is there. */
struct span_line {
	const char *text;
	size_t length;
	bool complete;
};

struct span_run {
	enum style style;
	const char *text;
	size_t length;
};

/*
 * span_next - the next run of a line.
 *
 * @at   in, out: where it continues.
 * @end  of what is wanted; the line may go on.
 * Returns false when there is no more.
 */
bool span_next(struct span *s, const struct span_line *line, size_t *at, size_t end,
	       struct span_run *out);

/* The columns of that part of a line. */
size_t span_width(struct span *s, const struct span_line *line, size_t at, size_t end);

/* Add it to a console. @plain  instead of no style. */
void span_write(struct span *s, const struct span_line *line, size_t at, size_t end,
		enum style plain, struct console *c);

#endif
