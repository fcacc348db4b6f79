/*
 * overlay - a writable root: the image below, changes in a tmpfs above it.
 *
 * Runs: pid 1, or the program of a cell, while it builds its root. Needs: CAP_SYS_ADMIN over its
 * user and mount namespaces. Without a libc.
 */
#ifndef GLOVEBOX_INSIDE_OVERLAY_H
#define GLOVEBOX_INSIDE_OVERLAY_H

#include "base/err.h"
#include "inside/plan.h"

/* The place where a root is assembled: a bind's source cannot lie there, and every host has it. */
#define OVERLAY_PLACE "/proc"

/*
 * overlay_mount - mount a tmpfs and then the overlay over OVERLAY_PLACE, where the image is already
 * mounted. The image is the current directory before, the overlay after.
 *
 * @op     ROOT_OVERLAY
 * @flags  MS_* of the overlay and of its tmpfs.
 *
 * The mounts below the overlay have no path any more. The overlay belongs to our user namespace
 * (overlayfs.rst, userxattr, Linux 5.11): it accesses the image with our rights only. Errors:
 * ERR_UNSUPPORTED: this kernel has no overlay for us.
 */
int overlay_mount(const struct root_op *op, unsigned long flags, struct err *e);

#endif
