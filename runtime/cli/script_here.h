/*
 * script_here - recognise a program of the host typed in place of another word.
 *
 * Runs: every command of `glovebox`, before it refuses a word.
 */
#ifndef GLOVEBOX_CLI_SCRIPT_HERE_H
#define GLOVEBOX_CLI_SCRIPT_HERE_H

#include <stdbool.h>

/* script_is_here - whether @word ends in .py or .pyz and names a regular file. */
bool script_is_here(const char *word);

/*
 * script_command - the command that runs @word in @image, if it is such a file, or a directory with
 * a __main__.py. Owned by the caller; NULL: it is neither.
 */
char *script_command(const char *word, const char *image);

#endif
