/*
 * highlight - Python source in colours, line by line.
 *
 * Each line is coloured alone, except for strings in triple quotes, which are remembered from line
 * to line. What is not Python comes out as it is; every byte passes escape.c.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_HIGHLIGHT_H
#define GLOVEBOX_AGENT_HIGHLIGHT_H

#include <stddef.h>

#include "agent/data/python_lexer.h"
#include "base/buf.h"

/* Zero is the beginning of a source. */
struct highlight {
	struct python_at at; /* only an open triple-quoted string matters */
};

/*
 * highlight_line - one line, without its newline, appended to *out with colours (SGR
 * sequences, each reset before the end of the line) and without a newline.
 */
void highlight_line(struct highlight *h, const char *line, size_t length, struct buf *out);

#endif
