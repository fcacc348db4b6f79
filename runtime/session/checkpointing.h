/*
 * checkpointing - make a checkpoint, or roll a session back to one: an operation (loop/loop.h).
 *
 * A checkpoint is a waiting copy of the interpreter. To make one, we ask the session for it, and
 * then the copy whether it is alive. To roll back, we ask the copy first; then we kill the
 * processes of the old state (purge.h); the copy continues in their place, and leaves a copy of its
 * own.
 *
 * Runs: client, while it has borrowed the session. Needs: to signal the session's processes, and
 * write access to its cgroups.
 */
#ifndef GLOVEBOX_SESSION_CHECKPOINTING_H
#define GLOVEBOX_SESSION_CHECKPOINTING_H

#include "loop/loop.h"
#include "session/call.h"

struct checkpointing;

/*
 * checkpointing_make, checkpointing_return - prepare the operation; sends nothing yet.
 *
 * @session  outlives the operation, as do @name and @call.
 * @call     as for call_start().
 * @out      end with checkpointing_end().
 * Errors: the name is in use, or unknown; too many checkpoints; ERR_SYSTEM. A rollback fails with
 * ERR_EXISTS and call->ends_threads if it would end threads that are not recreated
 * (rootfs/guest/lostthreads.py), unless call->force is set.
 */
int checkpointing_make(struct session *session, const char *name, struct session_call *call,
		       struct checkpointing **out, struct err *e);
int checkpointing_return(struct session *session, const char *name, struct session_call *call,
			 struct checkpointing **out, struct err *e);

/* Wait for it with loop_wait(), or by loop_fd() when driving many. */
struct loop *checkpointing_loop(struct checkpointing *x);

/* Do what is due, without waiting. true: it is over. */
bool checkpointing_step(struct checkpointing *x);

/* Ask for the end of the operation, as call_interrupt() does. */
void checkpointing_interrupt(struct checkpointing *x);

/*
 * checkpointing_end - finish it, once it is over. Before that it abandons the operation and loses
 * the session, unless it was only asking the checkpoint.
 * Errors: call->lost with the reason; otherwise the session continues, as it was or, if only files
 * could not be restored, from the checkpoint.
 */
int checkpointing_end(struct checkpointing *x, struct err *e);

#endif
