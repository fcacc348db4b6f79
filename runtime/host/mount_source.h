/*
 * mount_source - what a bind takes from the host: opened once, judged, and named as it is.
 *
 * Somebody who owns a directory above the source can exchange names while we look. So its path
 * is walked once; everything after that goes by the descriptor: the file system is told by
 * the number of its mount, and it is the descriptor that is cloned, or what is cloned later
 * by the name that the kernel gives for it is compared with it and judged again
 * (host/tree.c).
 *
 * Runs: supervisor. Side effects: with -v, a missing directory is made.
 */
#ifndef GLOVEBOX_HOST_MOUNT_SOURCE_H
#define GLOVEBOX_HOST_MOUNT_SOURCE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"
#include "spec/spec.h"

struct mount_source {
	int fd;              /* O_PATH, or a copy of m->source_fd; owned */
	char path[PATH_MAX]; /* absolute, without links, as it was a moment ago */
	struct stat st;
	bool nested; /* something harmless is mounted below, and comes along */
};

/*
 * mount_source_open
 *
 * @out  on success `fd` is to be closed.
 * Errors: ERR_INPUT if it is missing, ERR_UNSUPPORTED if it is, or has below it, what shows the
 * host: the kernel's file systems, "/", devices; ERR_SYSTEM.
 */
int mount_source_open(const struct mount_spec *m, struct mount_source *out, struct err *e);

#endif
