/*
 * pool - cells that are made and wait for a request.
 *
 * A cell is called for (its sockets and cgroup exist); when its pid 1 says that it has
 * locked itself down, it is ready. The kernel vouches for who says so (SO_PASSCRED).
 * What dies on the way is dropped and called for again. Cells that were handed over are
 * remembered as long as they live: the nursery must not end before them.
 *
 * Runs: the warm supervisor.
 */
#ifndef GLOVEBOX_CELL_POOL_H
#define GLOVEBOX_CELL_POOL_H

#include <stdbool.h>

#include "base/err.h"
#include "cell/nursery.h"
#include "host/cgroup.h"

#define POOL_MAX   512
#define POOL_CALLS 4 /* under way at a time: the nursery makes one after the other */

struct cell {
	int control; /* owned; our end */
	int start;   /* owned; our end */
	int pidfd;   /* owned; -1 until it is ready */
	struct cgroup cgroup;
};

struct pool {
	struct cell *cells[POOL_MAX]; /* in the order of their calls */
	unsigned count;
	struct limits limits; /* of a cell that waits */
	int *leased;          /* pidfds of cells that others have; owned */
	unsigned leased_count;
	unsigned leased_capacity;
	uint64_t made; /* since the start */
	uint64_t failed;
	unsigned failed_in_a_row;
};

/* Cells that are ready, and cells on the way. */
unsigned pool_ready(const struct pool *p);
unsigned pool_under_way(const struct pool *p);

/* Call for one more cell. */
int pool_call(struct pool *p, struct nursery *n, struct err *e);

/* Look at one cell's control socket and pidfd. true: it is gone, and dropped. */
bool pool_attend(struct pool *p, unsigned index);

/* Take a ready cell out, NULL if there is none. Owned by the caller: cell_free(). */
struct cell *pool_take(struct pool *p);

/* Remember a cell that was handed over; @pidfd: owned from here on. */
void pool_lease(struct pool *p, int pidfd);

/* How many of those live. */
unsigned pool_leased(struct pool *p);

/* Its nursery is gone, or we are. */
void pool_empty(struct pool *p);

/*
 * cell_free - let go of it; a cell whose control socket was not passed on dies.
 * @passed_on  someone else has its descriptors, and its cgroup to remove.
 */
void cell_free(struct cell *c, bool passed_on);

#endif
