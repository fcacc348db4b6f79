/*
 * session_branch - copies of a session that go on independently, each in a sandbox of its own.
 *
 * Theory of operation: inside/branch.h. The session is frozen while the nursery makes the
 * namespaces, the roots and the pids 1 of all branches (branch_making.h). Then it runs on and makes
 * one copy of its interpreter for each. We move a copy into its control groups, hand it the
 * descriptors of its namespaces, look at it from outside (branch_check.h), and only then
 * hand out those that make it a session.
 *
 * Who has seen the namespaces' descriptors may hold them for ever, and own what they stand for as
 * long as he stays where he is. So the session ends in its old place once a copy has had some,
 * whether all goes well or not.
 *
 * Runs: clients that have borrowed the session.
 */
#ifndef GLOVEBOX_CELL_SESSION_BRANCH_H
#define GLOVEBOX_CELL_SESSION_BRANCH_H

#include "base/err.h"
#include "cell/session.h"

#define SESSION_MAX_BRANCHES 65 /* the session itself and 64 */

/* Where a session is after session_branch(). */
enum session_outcome {
	SESSION_STAYS, /* in its old place, as if nothing had been asked */
	SESSION_MOVED, /* in the first branch: session_leave() the old place */
	SESSION_LOST,  /* nowhere: it is to be ended */
};

/*
 * session_branch - make `count` of them.
 *
 * @parent      borrowed with the right to freeze it (client_borrow_to_branch()).
 * @connection  to the supervisor; borrowed.
 * @out         `count`; on success all owned by the caller: session_close(). On error the first,
 *              if the outcome is SESSION_MOVED, and none else.
 * Errors: what the supervisor and the nursery say; a confinement step that failed; no memory or
 * process for a copy; a copy that is not confined as it must be, which has been killed by then.
 */
int session_branch(struct session *parent, int connection, unsigned count, struct session *out,
		   enum session_outcome *outcome, struct err *e);

/*
 * session_leave - when the session itself goes on in a branch: end all that still runs in the
 * old place. Its pid 1 stays as long as a branch has need of it.
 * Errors: something there does not end. It owns the branches: the old place must be killed.
 */
int session_leave(struct session *parent, struct err *e);

#endif
