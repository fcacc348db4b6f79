/*
 * scratch - the host directory in which a Debian root is made, step by step.
 *
 * As root, with enough memory, it is a tmpfs mounted for this process only, so that the kernel
 * removes it however we end; otherwise a directory on the disk.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_SCRATCH_H
#define GLOVEBOX_ROOTFS_CHAMBER_SCRATCH_H

#include <stdbool.h>

#include "base/err.h"
#include "subids.h"

struct scratch {
	char *top;   /* closed to other users; owned */
	char *build; /* below it, writable for the ids of the build; owned */
	bool in_memory;
	int lock; /* of top (fs/temporary_dir.h) */
};

/*
 * scratch_make - end with scratch_remove(). What killed builds of our user have left is removed
 * before. It is made below $TMPDIR, or /tmp; a place where other users can exchange names is
 * refused. As root this process gets a mount namespace of its own, whose changes the host does not
 * see.
 */
int scratch_make(struct scratch *out, const struct subids *ids, struct err *e);

/*
 * Call it when other processes in it have ended. Files of other ids are removed by these ids, in a
 * chamber.
 */
void scratch_remove(struct scratch *s, const struct subids *ids);

#endif
