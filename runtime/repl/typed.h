/*
 * typed - what somebody types while code runs: a line at a time goes into the code's standard
 * input.
 *
 * The next line is read only when the code has taken the one before. So what is typed ahead waits
 * in the terminal, and a line that no code took is typed at the next prompt instead: from our copy,
 * since what is in the pipe by then may be anybody's. The code has the pipe's other end; ours is
 * another open file, and never blocks.
 *
 * Touches the OS: reads the terminal.
 */
#ifndef GLOVEBOX_REPL_TYPED_H
#define GLOVEBOX_REPL_TYPED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct typed {
	int pipe;        /* owned: the writing end; -1: the end of the input was typed */
	char line[4096]; /* the last one */
	size_t length;
	bool refused; /* nobody could take it any more */
};

/* @theirs  out: the reading end; owned by the caller. Without a terminal there is nothing in it. */
int typed_open(struct typed *t, int *theirs, struct err *e);

/* Whether the last line has been taken, so that the next one may be read. */
bool typed_is_taken(const struct typed *t);

/* The terminal is readable: pass on a line. */
void typed_read(struct typed *t);

/* End it. Returns the line that nobody took, terminated, or NULL; valid as long as @t. */
const char *typed_close(struct typed *t);

#endif
