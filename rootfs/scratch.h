/*
 * scratch - the directory of the host in which a Debian root is made, step by step.
 *
 * For root, if there is enough memory, it is a file system in memory that is mounted for this
 * process only, so that it is gone however we end; else a directory on the disk.
 */
#ifndef GLOVEBOX_ROOTFS_SCRATCH_H
#define GLOVEBOX_ROOTFS_SCRATCH_H

#include <stdbool.h>

#include "base/err.h"
#include "subids.h"

struct scratch {
	char *top;   /* ours alone; owned */
	char *build; /* below it, writable by the ids of the build; owned */
	bool in_memory;
	int lock; /* of top (base/temporary_dir.h) */
};

/*
 * scratch_make - end with scratch_remove(). What killed builds of our user have left is removed
 * before. It is made below $TMPDIR, or /tmp; a place where other users can exchange names is
 * refused. As root this process gets a mount namespace of its own, whose changes the host does not
 * see.
 */
int scratch_make(struct scratch *out, const struct subids *ids, struct err *e);

/*
 * Other processes in it must have ended. Files of other ids are removed by these ids, in a chamber.
 */
void scratch_remove(struct scratch *s, const struct subids *ids);

#endif
