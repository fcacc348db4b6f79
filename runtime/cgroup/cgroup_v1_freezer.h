/*
 * cgroup_v1_freezer - freezer directories for groups of cgroup v1.
 *
 * Runs: monitor, client, supervisor. Needs: write access to the cgroups.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_V1_FREEZER_H
#define GLOVEBOX_CGROUP_CGROUP_V1_FREEZER_H

#include "cgroup/cgroup.h"

/* See struct cgroup_layout for these three. */
int cgroup_v1_open_freezer(const struct cgroup *c, bool make, const struct cgroup_freezer **how,
			   struct err *e);
bool cgroup_v1_remove_freezers(const struct cgroup *c);
int cgroup_v1_open_freezers(unsigned i);

/* The same for a group given by its path below a hierarchy. */
bool cgroup_v1_remove_freezers_at(const char *path);

#endif
