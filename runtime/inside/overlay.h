/*
 * overlay - a root that can be changed: the image below, changes in a tmpfs above it.
 *
 * Runs: pid 1, or the program of a cell, while it builds its root. Needs: CAP_SYS_ADMIN over its
 * user and mount namespaces. Without a libc.
 */
#ifndef GLOVEBOX_INSIDE_OVERLAY_H
#define GLOVEBOX_INSIDE_OVERLAY_H

#include "base/err.h"
#include "inside/plan.h"

/* Where a root is put together: no source of a bind can lie there, and every host has it. */
#define OVERLAY_PLACE "/proc"

/*
 * overlay_mount - mount a tmpfs and then the overlay over OVERLAY_PLACE, where the image is mounted
 * already. The image is the current directory, and the overlay is it on return.
 *
 * @op     ROOT_OVERLAY
 * @flags  MS_* of the overlay and of its tmpfs.
 *
 * What is stacked below the overlay has no path any more. The overlay belongs to our user namespace
 * (overlayfs.rst, userxattr, Linux 5.11): it reaches the image with our rights and no others.
 * Errors: ERR_UNSUPPORTED where this kernel has no overlay for us.
 */
int overlay_mount(const struct root_op *op, unsigned long flags, struct err *e);

#endif
