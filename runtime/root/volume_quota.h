/*
 * volume_quota - the size of a volume, as a project quota of its file system.
 *
 * Everything below _data belongs to a project of its own, which files made there inherit, and which
 * no process of a user namespace can leave (the kernel's fileattr_set_prepare()).
 * ext4 and xfs count projects, and refuse beyond a limit only if they were mounted so (prjquota).
 *
 * Runs: `glovebox volume`. Needs: CAP_SYS_ADMIN in the first user namespace.
 */
#ifndef GLOVEBOX_ROOT_VOLUME_QUOTA_H
#define GLOVEBOX_ROOT_VOLUME_QUOTA_H

#include <stdint.h>

#include "base/err.h"

/*
 * volume_quota_set - give an empty directory a project with this limit.
 *
 * @dir_fd  open for reading; borrowed.
 * Inodes are limited, too: one for each KiB.
 * Errors: ERR_UNSUPPORTED with the reason, where nothing would enforce it.
 */
int volume_quota_set(int dir_fd, uint64_t bytes, struct err *e);

/* The project of a directory; 0: none of ours. */
uint32_t volume_quota_project(int dir_fd);

/* Forget the limit of a project that has no files any more. */
void volume_quota_clear(int fs_fd, uint32_t project);

#endif
