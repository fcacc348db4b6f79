/*
 * script_here - recognise a program of the host typed in place of another word.
 *
 * Runs: every command of `glovebox`, before it refuses a word.
 */
#ifndef GLOVEBOX_CLI_SCRIPT_HERE_H
#define GLOVEBOX_CLI_SCRIPT_HERE_H

#include <stdbool.h>

#include "base/err.h"

/* script_is_here - whether @word ends in .py or .pyz and names a regular file. */
bool script_is_here(const char *word);

/*
 * script_command - the command that runs @word in @image, if it is such a file, or a directory with
 * a __main__.py. Owned by the caller; NULL: it is neither.
 *
 * @image  NULL: "python", or "host" where that was not built.
 */
char *script_command(const char *word, const char *image);

/*
 * script_missing - why @word, which looks like a program of the host, is none: *e, and -1. 0: it
 * does not look like one.
 */
int script_missing(const char *word, struct err *e);

#endif
