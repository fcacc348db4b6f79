/*
 * hosts - give a tree the /etc/hosts that its maker left to the runtime.
 *
 * Docker makes that file at each start, so most of its images have none, and in those of Debian no
 * program would find localhost.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_HOSTS_H
#define GLOVEBOX_ROOTFS_ARCHIVE_HOSTS_H

#include "base/err.h"

/*
 * hosts_give - write the file, with the names that those of our own images have (hooks/finish.sh).
 *
 * @root_fd  of the tree; borrowed
 *
 * A tree that has the file, of whatever kind, or that has no /etc, stays as it is.
 */
int hosts_give(int root_fd, struct err *e);

#endif
