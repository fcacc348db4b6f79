/*
 * cgroup_sweep - remove groups whose owner was killed.
 *
 * Touches the OS. Runs: monitor, supervisor; before a group is made. Needs: write access to the
 * parents.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_SWEEP_H
#define GLOVEBOX_CGROUP_CGROUP_SWEEP_H

#include "cgroup/cgroup.h"

#define CGROUP_PREFIX "sandbox-" /* begin of our groups' names */

/*
 * cgroup_sweep - remove groups whose monitor or supervisor was killed: they are empty, because
 * their processes died with it, and not locked. A group with other limits may exist only in a later
 * hierarchy.
 *
 * No lock is taken but that of each group that is looked at: a process that is stopped in here
 * stops nobody else. A group that its maker has not locked yet is removed, too; the maker makes it
 * again.
 *
 * @c  its parents.
 * Returns how many groups of the first hierarchy are alive.
 */
unsigned cgroup_sweep(const struct cgroup *c);

/* Whether the group of that name in hierarchy i is alive; removes one that is not, and is empty. */
bool cgroup_sweep_one(const struct cgroup *c, unsigned i, const char *name);

#endif
