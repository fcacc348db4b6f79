/*
 * typed - pass lines that the user types to the running code's standard input, one at a time.
 *
 * We read the next line only when the code has read the one before. So text typed ahead waits in
 * the terminal, and a line that no code read is typed at the next prompt instead: from our copy,
 * since hostile code may have changed the pipe's content. The code has the pipe's other end; ours
 * is another open file, and never blocks.
 *
 * Touches the OS: reads the terminal.
 */
#ifndef GLOVEBOX_REPL_TYPED_H
#define GLOVEBOX_REPL_TYPED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct typed {
	int pipe;        /* owned: the writing end; -1: the user typed the end of input */
	char line[4096]; /* the last one */
	size_t length;
	bool refused; /* no code could read it any more */
};

/* @theirs: out: the reading end; owned by the caller. Without a terminal it stays empty. */
int typed_open(struct typed *t, int *theirs, struct err *e);

/* Whether the code has read the last line, so that the next one may be read. */
bool typed_is_taken(const struct typed *t);

/* Pass on a line: the terminal is readable. */
void typed_read(struct typed *t);

/* Close it. Returns the line that no code read, terminated, or NULL; valid as long as @t. */
const char *typed_close(struct typed *t);

#endif
