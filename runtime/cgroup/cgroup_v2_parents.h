/*
 * cgroup_v2_parents - find the group of the unified hierarchy in which sandboxes' groups are made:
 * the one that GLOVEBOX_CGROUP names, root's own, or one delegated to this user.
 *
 * Runs: monitor, supervisor. Needs: write access to that group.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_V2_PARENTS_H
#define GLOVEBOX_CGROUP_CGROUP_V2_PARENTS_H

#include "base/err.h"
#include "cgroup/cgroup.h"

/*
 * cgroup_v2_parents_find - find or make the parent, with the controllers that the limits need.
 * @c  gets one more parent. Errors: ERR_UNSUPPORTED with the remedy, ERR_SYSTEM.
 */
int cgroup_v2_parents_find(const struct limits *limits, struct cgroup *c, struct err *e);

#endif
