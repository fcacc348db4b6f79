/*
 * privileges - keep the capabilities that a command needs as root, and give up the rest.
 *
 * The table in privileges.c has a row for each command, and policy/README.md shows it. Dispatch
 * calls privileges_keep() before it opens any file that an argument names; `glovebox run` calls it
 * again once its program runs.
 *
 * Runs: every program of ours. Needs: nothing; without capabilities it does nothing.
 */
#ifndef GLOVEBOX_BASE_PRIVILEGES_H
#define GLOVEBOX_BASE_PRIVILEGES_H

#include "base/err.h"

/*
 * privileges_keep - keep the capabilities of a row; without a row, none.
 *
 * @command  a synopsis; begins with the row's name as whole words.
 * @moment   "arguments", or another one of the table.
 * Capabilities that the process lacks are not requested. Errors: ERR_SYSTEM; the command must exit.
 */
int privileges_keep(const char *command, const char *moment, struct err *e);

#endif
