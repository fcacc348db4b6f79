/*
 * markdown_table - a table of Markdown on a console, with its columns aligned.
 *
 * What is no table after all, or is wider than the window, is written as it is.
 *
 * Writes to the console.
 */
#ifndef GLOVEBOX_AGENT_MARKDOWN_TABLE_H
#define GLOVEBOX_AGENT_MARKDOWN_TABLE_H

#include "agent/show/console.h"

/* @text  whole lines of safe text. */
void markdown_table_write(struct console *c, const char *text, size_t length);

#endif
