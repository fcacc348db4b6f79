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
#include "cell/endings.h"
#include "cell/nursery.h"
#include "host/cgroup.h"
#include "host/idblock.h"

#define POOL_MAX   512
#define POOL_CALLS 4 /* under way at a time: the nursery makes one after the other */

struct cell {
	int control; /* owned; our end */
	int start;   /* owned; our end */
	int pidfd;   /* owned; -1 until it is ready */
	int mounts;  /* owned; its mount namespace, see struct leased */
	struct cgroup cgroup;
	uint32_t uid; /* and gid, on the host; 0: that of every cell of the nursery */
};

/*
 * A cell that others have: remembered as long as it lives. Whoever lets go of a mount namespace
 * last waits for RCU (namespace_unlock(), fs/namespace.c): we do, beside the run, instead
 * of its pid 1, whose end the caller waits for.
 */
struct leased {
	int pidfd;  /* owned */
	int mounts; /* owned */
	uint32_t uid;
};

struct pool {
	struct cell *cells[POOL_MAX]; /* in the order of their calls */
	unsigned count;
	struct limits limits;    /* of a cell that waits */
	struct endings *endings; /* borrowed: of those that were dropped */
	struct leased *leased;
	unsigned leased_count;
	unsigned leased_capacity;
	struct idblock ids; /* owned */
	uint32_t ids_next;
	bool id_taken[IDBLOCK_COUNT];
	uint64_t made; /* since the start */
	uint64_t failed;
	unsigned failed_in_a_row;
};

/* Cells that are ready, and cells on the way. */
unsigned pool_ready(const struct pool *p);
unsigned pool_under_way(const struct pool *p);

/* As root: an id of its own for each cell. */
int pool_init(struct pool *p, struct err *e);

/* Call for one more cell. @awaited: by a client that waits already. */
int pool_call(struct pool *p, struct nursery *n, bool awaited, struct err *e);

/* Look at one cell's control socket and pidfd. true: it is gone, and dropped. */
bool pool_attend(struct pool *p, unsigned index);

/* Drop one cell of those that are ready beyond `wanted`: clients that waited have left. */
void pool_trim(struct pool *p, unsigned wanted);

/* Take a ready cell out, NULL if there is none. Owned by the caller: pool_lease() or
 * pool_drop(). */
struct cell *pool_take(struct pool *p);

/* Hand a cell over, whose descriptors its client has by now: free it, and remember it. */
void pool_lease(struct pool *p, struct cell *c);

/* How many of those live. */
unsigned pool_leased(struct pool *p);

/* Its nursery is gone, or we are. */
void pool_empty(struct pool *p);

/* Kill a cell that was not handed over, and free it. */
void pool_drop(struct pool *p, struct cell *c);

/* After pool_empty(), when all is over. */
void pool_fini(struct pool *p);

#endif
