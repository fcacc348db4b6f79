/*
 * words - split a command line as Python's shlex.split() does, by the rules of POSIX: without
 * variables, patterns, comments or operators.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_AGENTSANDBOX_WORDS_H
#define GLOVEBOX_AGENTSANDBOX_WORDS_H

#include "base/list.h"

/* Errors: ERR_INPUT, in Python's words: a quotation or an escape is open. */
int words_split(const char *text, struct list *out, struct err *e);

#endif
