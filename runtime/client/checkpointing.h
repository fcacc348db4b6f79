/*
 * checkpointing - make a checkpoint, or return a session to one: an operation (base/loop.h).
 *
 * A checkpoint is a waiting copy of the interpreter. To make one, the session is asked for it, and
 * the copy whether it is alive. To return, the copy is asked first; the processes of the old state
 * are ended (purge.h); the copy continues in their place, and leaves a copy of its own.
 *
 * Runs: client, while it has borrowed the session. Needs: to signal the session's processes, and
 * write access to its cgroups.
 */
#ifndef GLOVEBOX_CLIENT_CHECKPOINTING_H
#define GLOVEBOX_CLIENT_CHECKPOINTING_H

#include "base/loop.h"
#include "client/session.h"

struct checkpointing;

/*
 * checkpointing_make, checkpointing_return - prepare it; nothing is sent yet.
 *
 * @session  outlives the operation, as do @name and @call.
 * @call     as for call_start().
 * @out      end with checkpointing_end().
 * Errors: the name is in use, or unknown; there is no room; ERR_SYSTEM. A return fails with
 * ERR_EXISTS and call->ends_threads if the checkpoint was made beside threads that nobody makes
 * anew (rootfs/guest/lostthreads.py), unless call->force is set.
 */
int checkpointing_make(struct session *session, const char *name, struct session_call *call,
		       struct checkpointing **out, struct err *e);
int checkpointing_return(struct session *session, const char *name, struct session_call *call,
			 struct checkpointing **out, struct err *e);

/* Wait on it with loop_wait(), or with loop_fd() when driving many. */
struct loop *checkpointing_loop(struct checkpointing *x);

/* Do what is due; never waits. true: it is over. */
bool checkpointing_step(struct checkpointing *x);

/* Ask for its end, as call_interrupt() does. */
void checkpointing_interrupt(struct checkpointing *x);

/*
 * checkpointing_end - finish it, once it is over. Before that it is given up: the session is lost,
 * unless only the checkpoint was being asked.
 * Errors: call->lost with the reason; else the session continues, as it was or, if only files could
 * not be restored, from the checkpoint.
 */
int checkpointing_end(struct checkpointing *x, struct err *e);

#endif
