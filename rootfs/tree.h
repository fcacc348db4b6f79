/*
 * tree - walk and remove directory trees by descriptor, following no link.
 */
#ifndef GLOVEBOX_ROOTFS_TREE_H
#define GLOVEBOX_ROOTFS_TREE_H

#include <sys/stat.h>

#include "base/err.h"

/* Directories below each other; a deeper tree is refused. No real image comes near. */
#define TREE_DEPTH_MAX 200

/*
 * One call per entry, parents first, names in byte order.
 * @dir_fd, @name  where the entry is; borrowed
 * @path           "./usr/bin/env", below what the walk was given
 */
typedef int tree_visit(int dir_fd, const char *name, const char *path, const struct stat *st,
		       void *context, struct err *e);

/* @prefix  begins every path, "." or "./rootfs". The root itself is visited too, with name ".". */
int tree_walk(int root_fd, const char *prefix, tree_visit *visit, void *context, struct err *e);

/*
 * tree_remove - remove an entry and all below it, whatever its depth.
 *
 * Directories are first moved into @trash_fd, an empty directory of the same
 * file system, and flattened there: no recursion, a bounded number of
 * descriptors. A missing entry is no error.
 */
int tree_remove(int dir_fd, const char *name, int trash_fd, struct err *e);

/* Remove all that is in a directory, but not it. */
int tree_clear(int dir_fd, int trash_fd, struct err *e);

#endif
