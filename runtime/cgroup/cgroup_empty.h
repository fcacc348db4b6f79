/*
 * cgroup_empty - move the processes of a cgroup v2 group into a child group.
 *
 * Only a group without processes may enable controllers for its children (cgroups(7), "no internal
 * processes").
 *
 * Runs: monitor, supervisor. Needs: write access to the group.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_EMPTY_H
#define GLOVEBOX_CGROUP_CGROUP_EMPTY_H

#include "base/err.h"

/* The child group that receives them. */
#define CGROUP_V2_LEAF "glovebox-supervisor"

/*
 * cgroup_empty - @dir_fd: the group's directory; borrowed.
 * Errors: ERR_UNSUPPORTED if a process is outside of our pid namespace.
 */
int cgroup_empty(int dir_fd, struct err *e);

#endif
