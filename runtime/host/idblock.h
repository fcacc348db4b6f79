/*
 * idblock - a range of host ids for the cells of a warm supervisor that runs as root.
 *
 * What the kernel counts per user (pending signals, pipe buffers, keys, descriptors in flight) must
 * not be shared by cells of different owners, so each has an id of its own. Blocks are at
 * 0x80000000 and above, which systemd's table of uid ranges leaves unused; no file on disk ever
 * belongs to one. A block is held by a lock on the byte of its number in a file that only root can
 * open; the kernel releases it however the holder ends.
 *
 * Runs: supervisor. Needs: root.
 */
#ifndef GLOVEBOX_HOST_IDBLOCK_H
#define GLOVEBOX_HOST_IDBLOCK_H

#include <stdint.h>

#include "base/err.h"

#define IDBLOCK_COUNT 8192u

struct idblock {
	int lock_fd;    /* owned; -1: no block */
	uint32_t first; /* of IDBLOCK_COUNT ids, for users and groups */
};

static inline struct idblock idblock_none(void)
{
	return (struct idblock){.lock_fd = -1};
}

/*
 * idblock_open - take a free block.
 * @out  on success end with idblock_close().
 * Errors: ERR_SYSTEM; ERR_UNSUPPORTED when all that were tried are held by others.
 */
int idblock_open(struct idblock *out, struct err *e);
int idblock_open_in(const char *directory, struct idblock *out, struct err *e);
void idblock_close(struct idblock *b);

#endif
