/*
 * markdown - Markdown on a console, while it still comes.
 *
 * Headings, lists, quotations, rules, tables (markdown_table.h) and what stands between marks
 * (span.h); long lines are broken between words. A word is written when it is complete, a table
 * when it is over. Code between fences is somebody else's (reply_view.h).
 *
 * Writes to the console. Takes text that is safe already.
 */
#ifndef GLOVEBOX_AGENT_MARKDOWN_H
#define GLOVEBOX_AGENT_MARKDOWN_H

#include "agent/show/span.h"

struct markdown {
	struct console *console; /* borrowed */

	/* Its own; zero at the beginning. */
	struct buf line; /* the current one, as far as it is there */
	size_t done;     /* bytes of it that were written */
	bool begun;      /* what kind of line it is was found out */
	bool heading;
	size_t indent; /* of the lines that it is broken into */
	struct span span;
	struct buf table; /* the lines of a table */
};

void markdown_add(struct markdown *m, const char *text, size_t length);

/* There is no more of it: write what is left, and free. */
void markdown_end(struct markdown *m);

#endif
