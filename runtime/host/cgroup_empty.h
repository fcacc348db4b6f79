/*
 * cgroup_empty - move all processes of a group of cgroup v2 out of the way.
 *
 * Only an empty group may have children with controllers (cgroups(7), "no internal processes").
 *
 * Runs: monitor, supervisor. Needs: write access to the group.
 */
#ifndef GLOVEBOX_HOST_CGROUP_EMPTY_H
#define GLOVEBOX_HOST_CGROUP_EMPTY_H

#include "base/err.h"

/* Where they go, below it. */
#define CGROUP_V2_LEAF "glovebox-supervisor"

/*
 * cgroup_empty - of the group whose directory this is.
 * Errors: ERR_UNSUPPORTED if there are processes that our pid namespace does not have.
 */
int cgroup_empty(int dir_fd, struct err *e);

#endif
