/*
 * cgroup_sweep - the groups of those who were killed.
 *
 * Touches the OS. Runs: monitor, supervisor; before a group is made. Needs: write access to the
 * parents.
 */
#ifndef GLOVEBOX_HOST_CGROUP_SWEEP_H
#define GLOVEBOX_HOST_CGROUP_SWEEP_H

#include "host/cgroup.h"

#define CGROUP_PREFIX "sandbox-" /* of the names of our groups */

/*
 * cgroup_sweep - remove groups whose monitor or supervisor was killed: empty, because their
 * processes died with it, and not locked. One that had other limits may be in a later hierarchy
 * only.
 *
 * @c  its parents; the caller has locked the first exclusively. The others are locked here if that
 *     can be done at once, and stay so.
 * Returns how many in the first hierarchy are alive.
 */
unsigned cgroup_sweep(const struct cgroup *c);

#endif
