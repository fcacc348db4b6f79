/*
 * cgroup_v2_parents - the group of the unified hierarchy in which groups of sandboxes are made: one
 * that is named (GLOVEBOX_CGROUP), root's own, or one that was delegated to this user.
 *
 * Runs: monitor, supervisor. Needs: write access to that group.
 */
#ifndef GLOVEBOX_HOST_CGROUP_V2_PARENTS_H
#define GLOVEBOX_HOST_CGROUP_V2_PARENTS_H

#include "base/err.h"
#include "host/cgroup.h"

/*
 * cgroup_v2_parents_find - find or make it, with the controllers that the limits need.
 * @c  gets it as one more of its parents. Errors: ERR_UNSUPPORTED with the remedy, ERR_SYSTEM.
 */
int cgroup_v2_parents_find(const struct limits *limits, struct cgroup *c, struct err *e);

#endif
