/*
 * make_dir - make a missing directory of a path that a user named.
 *
 * We never chown a new directory. So we make it only in a directory that is ours or root's, and in
 * which other users cannot exchange names: otherwise they could lead us to another directory than
 * the one we made. The sticky bit is enough (/tmp): other users cannot rename our files there.
 *
 * Touches the OS. Runs: anywhere outside. Needs: what mkdir(2) needs.
 */
#ifndef GLOVEBOX_FS_MAKE_DIR_H
#define GLOVEBOX_FS_MAKE_DIR_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * make_dir_at - make `name` in a directory, mode 0755, and open it.
 *
 * @parent_fd  borrowed.
 * @path       the path up to this name, of `length` bytes, for messages.
 * Returns an owned O_PATH descriptor, or -1. It opens a directory that another process made
 * meanwhile, and refuses a link.
 */
int make_dir_at(int parent_fd, const char *name, const char *path, int length, struct err *e);

/* Whether the uid is ours, or root's. */
bool make_dir_is_owner(uid_t uid);

/* Whether another user, other than root, can exchange names there. */
bool make_dir_is_exchangeable(const struct stat *directory);

/* Whether another user can make names there. With the sticky bit they cannot exchange names. */
bool make_dir_is_shared(const struct stat *directory);

#endif
