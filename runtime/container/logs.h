/*
 * logs - follow what a sandbox that stays prints.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CONTAINER_LOGS_H
#define GLOVEBOX_CONTAINER_LOGS_H

#include <stdint.h>

#include "monitor/follow.h"

#define LOGS_NOW UINT64_MAX /* only what it prints from now on, and only if it runs */

/*
 * attach_since - print what a sandbox has printed since, and prints, to its end.
 * @typing  with `attach`, one that does not run is awaited; one that runs is attached in any case.
 * Returns the exit status: the sandbox's.
 */
int attach_since(const char *name, uint64_t since_ms, const struct follow_typing *typing);

#endif
