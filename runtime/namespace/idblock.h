/*
 * idblock - lock a range of host ids for the cells of one warm supervisor.
 *
 * The kernel counts epoll watches, pipe buffers and descriptors in flight per user. Cells of
 * different owners must not share these counts, nor share them with the supervisor's user, so each
 * cell has an id of its own. The supervisor holds a block by a lock on the byte of its number in a
 * file; the kernel releases it however the holder ends.
 *
 * Root's blocks are at 0x80000000 and above, which systemd's table of uid ranges leaves unused;
 * they never own a file on disk. Only root can open the file of the lock.
 *
 * A user's blocks are in its range of /etc/subuid and /etc/subgid, and newuidmap(1) maps them. The
 * lock is in its state directory (fs/state_dir.h).
 *
 * Runs: supervisor; serve, to explain a refusal. Needs: root; or a range, and newuidmap(1).
 */
#ifndef GLOVEBOX_NAMESPACE_IDBLOCK_H
#define GLOVEBOX_NAMESPACE_IDBLOCK_H

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

/* Consecutive blocks of IDBLOCK_COUNT ids. */
struct idblock_pool {
	uint32_t first;
	unsigned blocks;
};

/*
 * idblock_open - lock a free block of root's, or of the user's.
 * @out  on success end with idblock_close(); else it is idblock_none().
 * Errors: ERR_SYSTEM; ERR_UNSUPPORTED when other processes hold all blocks that were tried, or,
 * with the remedy, when the user has no ids that it can map.
 */
int idblock_open(struct idblock *out, struct err *e);
int idblock_open_in(const char *directory, const struct idblock_pool *pool, struct idblock *out,
		    struct err *e);
void idblock_close(struct idblock *b);

#endif
