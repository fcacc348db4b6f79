/*
 * script_here - recognise a host script typed in place of another word.
 *
 * Runs: every command of `glovebox`, before it refuses a word.
 */
#ifndef GLOVEBOX_CLI_SCRIPT_HERE_H
#define GLOVEBOX_CLI_SCRIPT_HERE_H

#include <stdbool.h>

/* script_is_here - whether @word ends in .py or .pyz and names a regular file. */
bool script_is_here(const char *word);

#endif
