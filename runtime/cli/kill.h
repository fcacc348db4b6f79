/*
 * kill - end what ps lists.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_KILL_H
#define GLOVEBOX_CLI_KILL_H

#include <stdint.h>

#include "base/err.h"

/*
 * kill_at_once - end what has this name, or an id that begins so, and wait for its end.
 * Errors: ERR_NOT_FOUND: nothing of the user's that runs has it.
 */
int kill_at_once(const char *word, struct err *e);

/*
 * kill_in_time - the same, but ask it first, and kill it when it has not ended in time.
 * @time_s  SPEC_UNLIMITED: as its spec says.
 */
int kill_in_time(const char *word, uint64_t time_s, struct err *e);

/* Print an error as docker prints what its daemon answers. Returns the exit status. */
int kill_say(const struct err *e);

#endif
