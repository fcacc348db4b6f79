/*
 * logs - follow what a sandbox that stays prints.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_LOGS_H
#define GLOVEBOX_CLI_LOGS_H

#include <stdint.h>

#define LOGS_NOW UINT64_MAX /* only what it prints from now on, and only if it runs */

/*
 * attach_since - print what a sandbox has printed since, and prints, to its end.
 * @in  borrowed; passed to its program; -1: none.
 * Returns the exit status: the sandbox's.
 */
int attach_since(const char *name, uint64_t since_ms, int in);

#endif
