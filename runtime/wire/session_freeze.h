/*
 * session_freeze - stop a session: no CPU time, and no memory where there is swap.
 *
 * Its checkpoints and all its processes stop, too. /workspace stays accessible.
 *
 * Runs: client; the supervisor, to end one. Needs: write access to its control group; on v1 root,
 * or a delegated freezer.
 */
#ifndef GLOVEBOX_WIRE_SESSION_FREEZE_H
#define GLOVEBOX_WIRE_SESSION_FREEZE_H

#include "base/err.h"
#include "wire/session.h"

/*
 * session_freeze - returns when all of it has stopped.
 *
 * @session  from client_borrow_to_freeze(); may be frozen already.
 * @out      where its memory is then.
 * Errors: ERR_UNSUPPORTED with the remedy if nothing can be frozen; then it continues.
 */
int session_freeze(struct session *session, struct cgroup_memory *out, struct err *e);

/* Let it continue, if it is frozen. */
int session_thaw(struct session *session, struct err *e);

#endif
