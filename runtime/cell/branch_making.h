/*
 * branch_making - a branch on its way: namespaces, root and pid 1, until code moves in.
 *
 * The nursery makes them from inside the session's namespaces, with the nursery's memory for a
 * while (cell_birth.c), and as processes that the session's code owns. So the session stands
 * still from making_request() until making_await() is back: session_branch.c freezes it.
 *
 * Runs: clients that have borrowed the session.
 */
#ifndef GLOVEBOX_CELL_BRANCH_MAKING_H
#define GLOVEBOX_CELL_BRANCH_MAKING_H

#include "base/err.h"
#include "cell/branch_check.h"
#include "cell/session.h"
#include "host/spawn.h"

/* Everything is owned. */
struct making {
	struct branch_place place;
	struct child child; /* its streams, pidfd, control */
	struct cgroup cgroup;
	int theirs;  /* pid 1's end of control */
	int channel; /* ours */
	int workspace;
	int tree;
};

void making_init(struct making *m);

/* @failed: kill it, and remove its group. Else what was not taken out is closed, and it lives. */
void making_fini(struct making *m, bool failed);

/*
 * making_request - have the nursery called; several may be under way.
 * @connection  to the supervisor; borrowed.
 * Errors: what the supervisor says; a session that cannot branch.
 */
int making_request(struct making *m, const struct session *parent, int connection, struct err *e);

/* making_await - until its pid 1 has locked itself down. Errors: a step that failed. */
int making_await(struct making *m, struct err *e);

#endif
