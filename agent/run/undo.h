/*
 * undo - restore the variables from before the last task.
 *
 * Uses one checkpoint of the session at a time (session/checkpointing.h).
 *
 * Runs: the agent, between tasks.
 */
#ifndef GLOVEBOX_AGENT_UNDO_H
#define GLOVEBOX_AGENT_UNDO_H

#include <stdbool.h>

#include "agent/run/executor.h"

/* The state that undo_return() can restore. */
enum undo { UNDO_NOTHING, UNDO_NO_VARIABLES, UNDO_CHECKPOINT };

/*
 * undo_mark - save the current variables.
 * @signal_fd  SIGINT cancels it. If that loses the session, the next execution replaces it.
 */
enum undo undo_mark(struct executor *x, int signal_fd);

/*
 * undo_return - restore what undo_mark() saved last.
 *
 * @force    also if that ends threads for good (rootfs/guest/lostthreads.py).
 * @refused  out: not done because of such threads; the session is unchanged.
 * Errors: refused, or the marked session is gone with its variables.
 */
int undo_return(struct executor *x, enum undo marked, bool force, int signal_fd, bool *refused,
		struct err *e);

#endif
