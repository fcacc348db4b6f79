/*
 * resolve - open a path under rules for how it may be walked: openat2(2).
 *
 * Touches the OS.
 */
#ifndef GLOVEBOX_BASE_RESOLVE_H
#define GLOVEBOX_BASE_RESOLVE_H

#include <linux/openat2.h>
#include <stdint.h>

/*
 * resolve_open - open `path` below `dir_fd` (borrowed).
 *
 * @flags  of open(2); O_CLOEXEC is added.
 * @rules  RESOLVE_* of openat2(2). A walk over ".." fails with EAGAIN whenever
 *         anything on the machine was renamed or mounted meanwhile, and is tried
 *         again, because that is no one's mistake.
 *
 * Runs: anywhere outside.  Needs: what open(2) needs.
 * Returns an owned descriptor, or -1 with errno set.
 */
int resolve_open(int dir_fd, const char *path, int flags, uint64_t rules);

#endif
