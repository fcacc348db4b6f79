/*
 * undo - the variables as they were before the last task.
 *
 * A checkpoint of the session (client/checkpointing.h), one at a time: the one before is dropped.
 *
 * Runs: the agent, between tasks.
 */
#ifndef GLOVEBOX_AGENT_UNDO_H
#define GLOVEBOX_AGENT_UNDO_H

#include <stdbool.h>

#include "agent/run/executor.h"

/* What there is to return to. */
enum undo { UNDO_NOTHING, UNDO_NO_VARIABLES, UNDO_CHECKPOINT };

/*
 * undo_mark - remember the variables as they are now.
 * @signal_fd  SIGINT gives it up. A session that is lost by it is replaced at the next execution.
 */
enum undo undo_mark(struct executor *x, int signal_fd);

/*
 * undo_return - go back to what was marked last.
 *
 * @force    also if that ends threads for good (client/session.h).
 * @refused  out: it was not done for that reason, and the session is as it was.
 * Errors: that, or the session of then is gone, and the variables with it.
 */
int undo_return(struct executor *x, enum undo marked, bool force, int signal_fd, bool *refused,
		struct err *e);

#endif
