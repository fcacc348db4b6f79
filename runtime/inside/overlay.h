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
int overlay_mount(const struct inside_plan *plan, const struct root_op *op, unsigned long flags,
		  struct err *e);

/*
 * overlay_layers - of a sandbox that stays: a descriptor of a directory, read-only and mounted
 * nowhere, that holds what the root is made of, without the mounts that cover it:
 *
 *   upper   the changes
 *   lower   the image
 *   merged  both
 *
 * Pid 1 sends it to the monitor, which hands it to mover (runtime/mover). Foreign code has no path
 * to it, and could read there only what it can read in its root. -1: there is none.
 */
int overlay_layers(void);

/* Send it, as REPORT_FD_SPACE: the space of the changes is the layers' (plan.h). */
int overlay_send_layers(const struct inside_plan *plan, struct err *e);

/* Close it: pid 1 needs it until its Landlock rules are made. */
void overlay_forget_layers(void);

#endif
