/*
 * session_freeze - a session stands still: no processor, and no memory where there is swap.
 *
 * With its checkpoints and whatever it has left running. /workspace can be reached meanwhile.
 *
 * Runs: clients; the supervisor, to end one.
 */
#ifndef GLOVEBOX_CELL_SESSION_FREEZE_H
#define GLOVEBOX_CELL_SESSION_FREEZE_H

#include "base/err.h"
#include "cell/session.h"

/*
 * session_freeze - returns when all of it stands still.
 *
 * @session  from client_borrow_to_freeze(); may be frozen already.
 * @out      where its memory is then.
 * Errors: ERR_UNSUPPORTED with the remedy where nothing can be frozen; it runs on.
 */
int session_freeze(struct session *session, struct cgroup_memory *out, struct err *e);

/* Let it go on, if it is frozen. */
int session_thaw(struct session *session, struct err *e);

#endif
