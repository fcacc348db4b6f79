/*
 * branch_plan - what makes a copy of a session's root a branch's: file systems of its own.
 *
 * Everything else of the root (the image, what -v mounts) comes along with the copy.
 *
 * Runs: clients, when a session starts.
 */
#ifndef GLOVEBOX_CELL_BRANCH_PLAN_H
#define GLOVEBOX_CELL_BRANCH_PLAN_H

#include "base/err.h"
#include "inside/plan.h"

/*
 * branch_plan_make - from the plan of a session, in a memfd as the nursery maps it.
 * @out_fd  on success owned by the caller; -1 when there can be no branch, because something
 *          is mounted below a directory that would be made anew.
 */
int branch_plan_make(const struct inside_plan *session, int *out_fd, struct err *e);

#endif
