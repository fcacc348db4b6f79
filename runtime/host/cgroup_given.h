/*
 * cgroup_given - the place that root gives to an ordinary user for control groups, on cgroup v1.
 *
 * Two directories in each hierarchy: TOP is root's, with limits that root chooses; TOP/user is
 * the user's, with `tasks` and `cgroup.procs`, but without a file that sets a limit.
 *
 * Where systemd is the init, TOP lies in the service of the user's own systemd, and so below the
 * user's slice, whose limits hold there too. Elsewhere, and for cpusets, which systemd has none of
 * on v1, TOP is at the top of the hierarchy.
 *
 * Runs: monitor, supervisor, `glovebox setup`. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_CGROUP_GIVEN_H
#define GLOVEBOX_HOST_CGROUP_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/cgroup.h"

#define CGROUP_GIVEN_USER "user" /* below TOP */

/* TOP below the mount of a hierarchy; CGROUP_CONTROLLERS is the freezer's. */
void cgroup_given_top(enum cgroup_controller controller, uid_t uid, bool in_slice, char *out,
		      size_t size);

/* Whether the whole hierarchy is the caller's: what a container sees, if its group is its user's.
 */
bool cgroup_given_is_all_ours(enum cgroup_controller controller);

/*
 * The parent of the caller's groups below the mount of a hierarchy: what GLOVEBOX_CGROUP names,
 * root's, or the caller's TOP/user, and TOP where the hierarchy is the caller's. The freezers use
 * the path of memory's.
 */
void cgroup_given_parent(enum cgroup_controller controller, char *out, size_t size);

/*
 * Whether a user still owns a group at the top with the limits in it, as an earlier `glovebox setup
 * user` gave it.
 */
bool cgroup_given_is_old(enum cgroup_controller controller, uid_t uid);

#endif
