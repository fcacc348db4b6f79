/*
 * anchors - the old places of sessions that have branched.
 *
 * Nothing of the session runs there any more but pid 1, which stays as long as a branch needs
 * it (inside/branch.h): the branches' own pid 1 hold its control socket. Then its group is
 * to be removed.
 *
 * Runs: the warm supervisor.
 */
#ifndef GLOVEBOX_CELL_ANCHORS_H
#define GLOVEBOX_CELL_ANCHORS_H

#include "cell/session.h"

struct anchors {
	struct session *items; /* only what ends them: a pidfd and the group */
	unsigned count;
};

/* Take over what is to be watched and removed of a session, and close the rest. */
void anchors_add(struct anchors *a, struct session *old);

/* Remove the groups of those that have ended. */
void anchors_check(struct anchors *a);

/* End all. */
void anchors_fini(struct anchors *a);

#endif
