/*
 * privileges - what a command still may do as root, and giving up the rest.
 *
 * The table in privileges.c has a row for each command, and policy/README.md shows it. Dispatch
 * calls privileges_keep() before anything that an argument names is opened, and `glovebox run` a
 * second time once its program runs.
 *
 * Runs: every program of ours. Needs: nothing; without capabilities it does nothing.
 */
#ifndef GLOVEBOX_BASE_PRIVILEGES_H
#define GLOVEBOX_BASE_PRIVILEGES_H

#include "base/err.h"

/*
 * privileges_keep - keep the capabilities of a row, and none for a command that has no row.
 *
 * @command  begins with the row's name, at which a word ends: a synopsis.
 * @moment   "arguments", or another one of the table.
 * What the process does not have is not asked for. Errors: ERR_SYSTEM; the command must not go on.
 */
int privileges_keep(const char *command, const char *moment, struct err *e);

#endif
