/*
 * groups - find the control groups of sandboxes, as every user sees them below /sys/fs/cgroup.
 *
 * Runs: `glovebox selftest`. Needs: nothing.
 */
#ifndef GLOVEBOX_SELFTEST_GROUPS_H
#define GLOVEBOX_SELFTEST_GROUPS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The name of a process's group: empty if it is not one of ours. */
void groups_name_of(pid_t pid, char out[128]);

/*
 * groups_find - the directory of a group whose name contains @name.
 * @file  that it must have; NULL: any
 * Returns whether one exists.
 */
bool groups_find(const char *name, const char *file, char out[PATH_MAX]);

#endif
