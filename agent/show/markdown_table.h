/*
 * markdown_table - render a table of Markdown on a console, with aligned columns.
 *
 * A text that turns out not to be a table, or is wider than the window, is written unchanged.
 *
 * Writes to the console.
 */
#ifndef GLOVEBOX_AGENT_MARKDOWN_TABLE_H
#define GLOVEBOX_AGENT_MARKDOWN_TABLE_H

#include "agent/show/console.h"

/* @text  whole lines of safe text. */
void markdown_table_write(struct console *c, const char *text, size_t length);

#endif
