/*
 * groups - the control groups of sandboxes, as everybody sees them below /sys/fs/cgroup.
 *
 * Runs: `glovebox selftest`. Needs: nothing.
 */
#ifndef GLOVEBOX_SELFTEST_GROUPS_H
#define GLOVEBOX_SELFTEST_GROUPS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The name of the group of a sandbox's process: empty if it is in none of ours. */
void groups_name_of(pid_t pid, char out[128]);

/*
 * groups_find - the directory of a group whose name has that in it.
 * @file  that it must have; NULL: any
 * Returns whether there is one.
 */
bool groups_find(const char *name, const char *file, char out[PATH_MAX]);

#endif
