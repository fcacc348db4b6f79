/*
 * span - split one line of Markdown into runs of one style: **bold**, *italic*, `code`.
 *
 * A mark without its counterpart within SPAN_BYTES of the same line is text.
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
	bool undecided; /* out: a mark counts as text, but more of the line may change that */
};

/* A line as far as it has arrived. */
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
 * span_next - get the next run of a line.
 *
 * @at   in, out: where it continues.
 * @end  the end of the wanted part; the line may go on.
 * Returns false at the end.
 */
bool span_next(struct span *s, const struct span_line *line, size_t *at, size_t end,
	       struct span_run *out);

/* Return the columns of a part of a line. */
size_t span_width(struct span *s, const struct span_line *line, size_t at, size_t end);

/* Write a part of a line to a console. @plain  in place of no style. */
void span_write(struct span *s, const struct span_line *line, size_t at, size_t end,
		enum style plain, struct console *c);

#endif
