/*
 * make_dir - a missing directory of a path that a user named.
 *
 * A new directory is never given away with chown. So it is made only in a directory that is ours or
 * root's and in which nobody else can exchange names; otherwise we could be led to another
 * directory than the one we made. The sticky bit is enough (/tmp): others cannot rename what is
 * ours there.
 *
 * Touches the OS. Runs: anywhere outside. Needs: what mkdir(2) needs.
 */
#ifndef GLOVEBOX_BASE_MAKE_DIR_H
#define GLOVEBOX_BASE_MAKE_DIR_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * make_dir_at - make `name` in a directory, mode 0755, and open it.
 *
 * @parent_fd  borrowed.
 * @path       the path up to this name, of `length` bytes, for messages.
 * Returns an owned O_PATH descriptor, or -1. A directory that another process made meanwhile is
 * opened; a link is refused.
 */
int make_dir_at(int parent_fd, const char *name, const char *path, int length, struct err *e);

/* Whether that is us, or root. */
bool make_dir_is_owner(uid_t uid);

/* Whether another user, other than root, can exchange names there. */
bool make_dir_is_exchangeable(const struct stat *directory);

/* Whether another user can make names there. With the sticky bit it is not exchangeable. */
bool make_dir_is_shared(const struct stat *directory);

#endif
