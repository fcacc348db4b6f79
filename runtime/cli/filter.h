/*
 * filter - `--filter KEY=VALUE` where only some values can be: a misspelt one would show nothing.
 *
 * Runs: `glovebox`. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_FILTER_H
#define GLOVEBOX_CLI_FILTER_H

#include "base/err.h"

/*
 * filter_check_word - whether a filter's value is one of these.
 * @filter  "status=running".
 * @words   "created|running"; of those in front of "||" an error names each, not the others.
 * Errors: ERR_INPUT.
 */
int filter_check_word(const char *filter, const char *words, struct err *e);

#endif
