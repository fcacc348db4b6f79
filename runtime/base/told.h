/*
 * told - tell a program that has started this command how it failed: "KIND TEXT" on the descriptor
 * that GLOVEBOX_TELL names (service/verb.h); and before, where it matters, that it is ready.
 *
 * Runs: every command of `glovebox`, glovebox-image, and the monitor that `run --detach` leaves
 * behind until its program has been executed. Needs: nothing.
 */
#ifndef GLOVEBOX_BASE_TOLD_H
#define GLOVEBOX_BASE_TOLD_H

#include <stdbool.h>

#include "base/err.h"

/* The descriptor, or -1. */
int told_fd(void);

/* Tell an error. Returns false if no program has started us: print it. */
bool told_error(const struct err *e);

/* The command has begun: from now on it misses nothing. */
void told_ready(void);

/* Keep the descriptor from the programs that this process executes. */
void told_keep(void);

/* The process goes on, and tells nothing more. */
void told_close(void);

#endif
