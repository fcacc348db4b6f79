/*
 * idblock - a range of host ids for the cells of one warm supervisor.
 *
 * What the kernel counts per user (epoll watches, pipe buffers, descriptors in flight) must not be
 * shared by cells of different owners, nor with the supervisor's user, so each has an id of its
 * own. A block is held by a lock on the byte of its number in a file; the kernel releases it
 * however the holder ends.
 *
 * Root's blocks are at 0x80000000 and above, which systemd's table of uid ranges leaves unused; no
 * file on disk ever belongs to one. The lock is in a file that only root can open.
 *
 * A user's blocks are in its range of /etc/subuid and /etc/subgid, and newuidmap(1) maps them. The
 * lock is in its state directory (base/state_dir.h).
 *
 * Runs: supervisor; serve, to say why there is none. Needs: root; or a range, and newuidmap(1).
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

/* Blocks of IDBLOCK_COUNT ids, one after the other. */
struct idblock_pool {
	uint32_t first;
	unsigned blocks;
};

/*
 * idblock_open - take a free block of root's, or of the user's.
 * @out  on success end with idblock_close(); else it is idblock_none().
 * Errors: ERR_SYSTEM; ERR_UNSUPPORTED when all that were tried are held by others, or, with the
 * remedy, when the user has no ids that it can map.
 */
int idblock_open(struct idblock *out, struct err *e);
int idblock_open_in(const char *directory, const struct idblock_pool *pool, struct idblock *out,
		    struct err *e);
void idblock_close(struct idblock *b);

#endif
