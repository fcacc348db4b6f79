/*
 * make_dir - a missing directory of a path that a user named.
 *
 * What is made is never given to anybody, so it is made only where it will belong to whoever is
 * right: in a directory that is ours or root's, and in which nobody else can exchange names.
 * Who can would have us take another thing for what we made. A directory with the sticky
 * bit is none such (/tmp): what is ours there, others cannot rename.
 *
 * Touches the OS. Runs: anywhere outside. Needs: what mkdir(2) needs.
 */
#ifndef GLOVEBOX_BASE_MAKE_DIR_H
#define GLOVEBOX_BASE_MAKE_DIR_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

/*
 * make_dir_at - make `name` in a directory, mode 0755, and open it.
 *
 * @parent_fd  borrowed.
 * @path       the path up to this name, of `length` bytes, for messages.
 * Returns an owned O_PATH descriptor, or -1. One that another process has made meanwhile is
 * opened, if it is no link.
 */
int make_dir_at(int parent_fd, const char *name, const char *path, int length, struct err *e);

/* Whether somebody else, who is not root, can put one thing in the place of another there. */
bool make_dir_is_exchangeable(const struct stat *directory);

#endif
