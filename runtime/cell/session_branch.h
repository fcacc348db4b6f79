/*
 * session_branch - copies of a session that go on independently, each in a sandbox of its own.
 *
 * Theory of operation: inside/branch.h. The nursery makes the namespaces, the root and pid 1
 * of a branch (cell_birth.c); the supervisor calls it, because only it can; we move the copy of
 * the interpreter into its cgroups, look at it from outside, and only then hand out the
 * descriptors that make it a session.
 *
 * Runs: clients that have borrowed the session.
 */
#ifndef GLOVEBOX_CELL_SESSION_BRANCH_H
#define GLOVEBOX_CELL_SESSION_BRANCH_H

#include "base/err.h"
#include "cell/session.h"

/*
 * session_branch - make one.
 *
 * @parent      goes on running until session_leave().
 * @connection  to the supervisor; borrowed.
 * @out         on success owned by the caller: session_close().
 * Errors: what the supervisor and the nursery say; a confinement step that failed; a copy
 * that is not confined as it must be, which has been killed by then. @lost: the parent has
 * broken the protocol and is dead, too.
 */
int session_branch(struct session *parent, int connection, struct session *out, bool *lost,
		   struct err *e);

/*
 * session_leave - when the session itself goes on in a branch: end all that still runs in the
 * old place. Its pid 1 stays as long as a branch has need of it.
 */
void session_leave(struct session *parent);

#endif
