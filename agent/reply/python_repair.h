/*
 * python_repair - code as models write it, made into what Python accepts.
 *
 * Only what could not be Python otherwise is changed: prompts, IPython's and the shell's lines,
 * common indentation, and, outside strings and comments, typographic quotes, spaces and
 * punctuation. The content of strings stays as it is.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_PYTHON_REPAIR_H
#define GLOVEBOX_AGENT_PYTHON_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* What the model should be told. */
struct python_repairs {
	bool installs; /* pip install and its like: left out */
	bool shell;    /* other lines for a shell: left out */
};

/*
 * python_repair - append the code, whose line ends are \n (reply_line_ends), to *out: its last line
 * has one, too, and there are no blank lines around it. Nothing is appended if nothing is left.
 */
void python_repair(const char *code, size_t length, struct buf *out, struct python_repairs *done);

/* Its step for typographic characters (python_characters.c). Appends to *out. */
void python_repair_characters(const struct buf *in, struct buf *out);

#endif
