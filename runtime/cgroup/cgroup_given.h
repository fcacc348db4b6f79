/*
 * cgroup_given - the cgroup v1 directories that root gives to an ordinary user.
 *
 * Each hierarchy has two: root owns TOP, and sets its limits; the user owns TOP/user with `tasks`
 * and `cgroup.procs`, but no file that sets a limit.
 *
 * Under systemd TOP lies in the service of the user's own systemd, and so below the user's slice,
 * whose limits hold there, too. Elsewhere, and for cpusets, which systemd does not use on v1, TOP
 * is at the top of the hierarchy.
 *
 * Runs: monitor, supervisor, `glovebox setup`. Needs: nothing.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_GIVEN_H
#define GLOVEBOX_CGROUP_CGROUP_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cgroup/cgroup.h"

#define CGROUP_GIVEN_USER "user" /* below TOP */

/* The path of TOP below a hierarchy's mount; CGROUP_CONTROLLERS stands for the freezer. */
void cgroup_given_top(enum cgroup_controller controller, uid_t uid, bool in_slice, char *out,
		      size_t size);

/*
 * Whether the caller owns the whole hierarchy, as in a container whose group belongs to its user.
 */
bool cgroup_given_is_all_ours(enum cgroup_controller controller);

/*
 * The parent of the caller's groups below a hierarchy's mount: GLOVEBOX_CGROUP, or root's, or the
 * caller's TOP/user, or TOP if the caller owns the hierarchy. The freezers use memory's path.
 */
void cgroup_given_parent(enum cgroup_controller controller, char *out, size_t size);

/*
 * Whether a user still owns a group at the top together with its limits, as earlier versions of
 * `glovebox setup user` gave it.
 */
bool cgroup_given_is_old(enum cgroup_controller controller, uid_t uid);

#endif
