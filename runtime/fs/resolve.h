/*
 * resolve - open a path under rules for its resolution: openat2(2).
 *
 * Touches the OS.
 */
#ifndef GLOVEBOX_FS_RESOLVE_H
#define GLOVEBOX_FS_RESOLVE_H

#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>

/* For places where hostile code may exchange anything meanwhile: no path leads out. */
#define RESOLVE_NO_WAY_OUT                                                                         \
	(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)

/*
 * resolve_open - open `path` below `dir_fd` (borrowed).
 *
 * @flags  of open(2); O_CLOEXEC is added.
 * @rules  RESOLVE_* of openat2(2). A walk over ".." fails with EAGAIN whenever any file on the
 *         machine was renamed or mounted meanwhile; it is repeated then.
 *
 * Runs: anywhere outside.  Needs: what open(2) needs.
 * Returns an owned descriptor, or -1 with errno set.
 */
int resolve_open(int dir_fd, const char *path, int flags, uint64_t rules);

/*
 * Whether it is a mount point; a mount's content does not belong to this tree. The kernel lets a
 * process in another mount namespace remove a mount point, and the mount with it.
 */
bool resolve_is_mount(int dir_fd, const char *name);

#endif
