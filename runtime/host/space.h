/*
 * space - which directory in memory was full when a program had ended.
 *
 * The sandbox sends the root of /tmp, of /dev/shm and of what is collected (inside/root.c), so they
 * can be asked whatever has ended it. A file that the program has removed again is not seen.
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
 * @root   whose operations have sent the descriptors, in this order.
 * @fds    `count` of them; borrowed.
 * @stage  that of what is collected, or -1.
 */
void space_look(const struct root_plan *root, const int *fds, unsigned count, int stage,
		struct verdict *v);

#endif
