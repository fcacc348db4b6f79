/*
 * highlight - colour Python source line by line.
 *
 * Each line is coloured alone, except for triple-quoted strings, which continue from line to line.
 * Text that is not Python is unchanged; every byte passes escape.c.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_HIGHLIGHT_H
#define GLOVEBOX_AGENT_HIGHLIGHT_H

#include <stddef.h>

#include "agent/data/python_lexer.h"
#include "base/buf.h"

/*
 * highlight_line - append a line, given without its newline, with colours (SGR sequences, each
 * reset before the end of the line).
 * @state  zero at the start of a source.
 */
void highlight_line(struct python_at *state, const char *line, size_t length, struct buf *out);

#endif
