/*
 * space - find the directories in memory that were full when a program ended.
 *
 * Pid 1 sends descriptors of a writable root, /tmp, /dev/shm and the stage (inside/root.c), so we
 * can measure them however the sandbox ended. A file that the program has removed again does not
 * count.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_SPACE_H
#define GLOVEBOX_HOST_SPACE_H

#include "host/root_ops.h"
#include "spec/verdict.h"

/*
 * space_look - fill in v->full.
 *
 * @root   its operations sent the descriptors, in this order.
 * @fds    `count` of them; borrowed.
 * @stage  descriptor of the stage, or -1.
 */
void space_look(const struct root_plan *root, const int *fds, unsigned count, int stage,
		struct verdict *v);

#endif
