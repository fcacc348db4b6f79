/*
 * markdown - render Markdown on a console while it arrives.
 *
 * Renders headings, lists, quotations, rules, tables (markdown_table.h) and spans (span.h), and
 * wraps long lines between words. A word is written when it is complete, a table at its end.
 * reply_view.h handles fenced code.
 *
 * Writes to the console. Takes text that is already safe.
 */
#ifndef GLOVEBOX_AGENT_MARKDOWN_H
#define GLOVEBOX_AGENT_MARKDOWN_H

#include "agent/show/span.h"

struct markdown {
	struct console *console; /* borrowed */

	/* Private; zero at first. */
	struct buf line; /* the current line, as far as it has arrived */
	size_t done;     /* bytes of it already written */
	bool begun;      /* its kind is known */
	bool heading;
	size_t indent; /* of its continuation lines */
	struct span span;
	struct buf table; /* the lines of a table */
};

void markdown_add(struct markdown *m, const char *text, size_t length);

/* The text has ended: write the rest, and free. */
void markdown_end(struct markdown *m);

#endif
