/*
 * mount_bound - hold what is mounted in the directories that the files of ceilings name.
 *
 * The path is judged that the kernel has for an open descriptor of our mount namespace, so that
 * neither links nor names that are exchanged meanwhile lead out. The directories themselves are
 * walked by descriptor, and no link counts that a program in a sandbox could have left
 * (fs/trusted_path.h).
 *
 * Runs: monitor, client. Needs: search permission on the paths.
 */
#ifndef GLOVEBOX_HOST_MOUNT_BOUND_H
#define GLOVEBOX_HOST_MOUNT_BOUND_H

#include "base/err.h"
#include "spec/spec.h"

/*
 * mount_bound_check - refuse a source outside of them.
 *
 * @fd  the source, opened; borrowed.
 * Errors: ERR_LIMIT, naming the file; those of the directories.
 */
int mount_bound_check(const struct mount_spec *m, int fd, struct err *e);

/*
 * mount_bound_missing - the same for a source that could not be opened, by the nearest directory
 * above it: a caller does not learn what there is elsewhere.
 */
int mount_bound_missing(const struct mount_spec *m, struct err *e);

/*
 * mount_bound_make - make a missing source in one of the directories, mode 0755: below what is
 * there, name by name, and through no link; without bounds, as trusted_path_make().
 *
 * Returns an owned O_PATH descriptor. Errors: those of mount_bound_check(), make_dir_at() and
 * trusted_path_make().
 */
int mount_bound_make(const struct mount_spec *m, struct err *e);

#endif
