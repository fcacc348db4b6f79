/*
 * mount_source - open the source of a bind mount once, then judge and clone it by descriptor.
 *
 * The owner of a directory above the source can exchange names while we look. So we walk the path
 * once and then use the descriptor: its mount number tells the file system, and the descriptor
 * itself is cloned. A source that must be cloned later by its path is compared with the descriptor
 * and judged again (root/tree.c).
 *
 * Runs: monitor, client. Needs: search permission on the path. With docker's -v, a missing
 * directory is made.
 */
#ifndef GLOVEBOX_ROOT_MOUNT_SOURCE_H
#define GLOVEBOX_ROOT_MOUNT_SOURCE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"
#include "spec/spec.h"

struct mount_source {
	int fd;              /* O_PATH, or a copy of m->source_fd; owned */
	char path[PATH_MAX]; /* absolute, without links, at the time of opening */
	struct stat st;
	bool nested; /* a harmless mount lies below; it is cloned, too */
};

/*
 * mount_source_open - open and judge one source.
 *
 * @out  on success the caller closes `fd`.
 * Errors: ERR_INPUT if it is missing; ERR_LIMIT: m->bounds do not have it (host/mount_bound.h);
 * ERR_UNSUPPORTED if it is, or has below it, something that shows the host: the kernel's file
 * systems, "/", devices; ERR_SYSTEM.
 */
int mount_source_open(const struct mount_spec *m, struct mount_source *out, struct err *e);

#endif
