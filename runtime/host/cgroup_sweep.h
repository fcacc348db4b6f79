/*
 * cgroup_sweep - remove groups whose owner was killed.
 *
 * Touches the OS. Runs: monitor, supervisor; before a group is made. Needs: write access to the
 * parents.
 */
#ifndef GLOVEBOX_HOST_CGROUP_SWEEP_H
#define GLOVEBOX_HOST_CGROUP_SWEEP_H

#include "host/cgroup.h"

#define CGROUP_PREFIX "sandbox-" /* begin of our groups' names */

/*
 * cgroup_sweep - remove groups whose monitor or supervisor was killed: they are empty, because
 * their processes died with it, and not locked. A group with other limits may exist only in a later
 * hierarchy.
 *
 * @c  its parents; the caller has locked the first exclusively. The others are locked here if that
 *     does not block, and stay locked.
 * Returns how many groups of the first hierarchy are alive.
 */
unsigned cgroup_sweep(const struct cgroup *c);

#endif
