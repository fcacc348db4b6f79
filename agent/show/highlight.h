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

/*
 * highlight_line - one line, after `state` (zero at the beginning of a source), without its
 * newline, appended to *out with colours (SGR sequences, each reset before the end of the line) and
 * without a newline.
 */
void highlight_line(struct python_at *state, const char *line, size_t length, struct buf *out);

#endif
