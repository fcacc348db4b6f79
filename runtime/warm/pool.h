/*
 * pool - cells that are made and wait for a request.
 *
 * First a cell is called for (its sockets and cgroup exist); when its pid 1 reports that it has
 * locked itself down, it is ready. The kernel names the sender of that report (SO_PASSCRED). Cells
 * that die on the way are dropped and called for again. Cells that were handed over are remembered
 * while they live: the nursery must not end before them.
 *
 * Runs: supervisor. Needs: write access to the cgroups' parent.
 */
#ifndef GLOVEBOX_WARM_POOL_H
#define GLOVEBOX_WARM_POOL_H

#include <stdbool.h>

#include "base/err.h"
#include "host/cgroup.h"
#include "host/endings.h"
#include "host/idblock.h"
#include "warm/nursery.h"

#define POOL_MAX          512
#define POOL_CALLS        4 /* at once: the nursery makes one after the other */
#define POOL_MAX_FAILURES 20

struct cell {
	int control; /* owned; our end */
	int start;   /* owned; our end */
	int pidfd;   /* owned; -1 until it is ready */
	int mounts;  /* owned; its mount namespace, see struct leased */
	struct cgroup cgroup;
	uint32_t uid; /* uid and gid on the host; 0: those of the nursery */
};

/*
 * A cell that a client has: remembered while it lives. A run is over for its client when nothing
 * runs any more (host/early_end.h); what the kernel still has to end, and the group, are ours then.
 *
 * The process that releases a mount namespace
 * last waits for RCU (namespace_unlock(), fs/namespace.c): we do that during the run, so that the
 * cell's pid 1, for whose end the caller waits, does not.
 */
struct leased {
	struct ending ending; /* its pid 1 and its group; not killed by us */
	int mounts;           /* owned */
	uint32_t uid;
};

struct pool {
	uint64_t busy_since_us;       /* no group can be made: another has a lock (cgroup.h); 0 */
	struct cell *cells[POOL_MAX]; /* in the order of their calls */
	unsigned count;
	struct limits limits;    /* of a waiting cell */
	struct endings *endings; /* borrowed; takes those that were dropped */
	struct leased *leased;
	unsigned leased_count;
	unsigned leased_capacity;
	struct idblock ids; /* owned */
	struct err shared;  /* without them: why cells have the nursery's ids; ERR_NONE */
	uint32_t ids_next;
	bool id_taken[IDBLOCK_COUNT];
	uint64_t leased_at_us; /* the last */
	uint64_t made;         /* since the start */
	uint64_t failed;
	unsigned failed_in_a_row;
	bool is_stuck;  /* cells were called for and do not come */
	struct err why; /* the last call that failed */
};

/*
 * Where cells have ids of their own, an ordinary user's program may need its user's instead, to
 * reach files of the host: it is given a cell that has the nursery's (@as_caller). Without such ids
 * each cell is of both kinds.
 */
bool pool_has_kinds(const struct pool *p);
unsigned pool_count(const struct pool *p, bool as_caller);

/* The number of cells that are ready, and of those on the way. */
unsigned pool_ready(const struct pool *p);
unsigned pool_under_way(const struct pool *p);

/* Calls have failed again and again: ERR_LIMIT with the reason. Ends when a cell is made. */
bool pool_is_broken(const struct pool *p, struct err *e);

/* Prepare it, and get an id block, so that each cell has its own id. Root must have one. */
int pool_init(struct pool *p, struct err *e);

/* Call for one more cell. -1: p->why. */
int pool_call(struct pool *p, struct nursery *n, bool as_caller);

/* Check one cell's control socket and pidfd. true: it has died, and is dropped. */
bool pool_attend(struct pool *p, unsigned index);

/* Drop one of the ready cells of a kind beyond `wanted`: clients that waited have left. */
void pool_trim(struct pool *p, unsigned wanted, bool as_caller);

/* A cell of a kind, ready or not, to be described: borrowed until the next call. NULL: none. */
const struct cell *pool_any(const struct pool *p, bool as_caller);

/*
 * Take out a ready cell of a kind; NULL if there is none. Owned by the caller: pool_lease() or
 * pool_drop().
 */
struct cell *pool_take(struct pool *p, bool as_caller);

/* Hand over a cell whose descriptors its client has by now: free it, but remember that it lives. */
void pool_lease(struct pool *p, struct cell *c);

/* One of them has become a session that we keep: its group belongs to that. */
void pool_keep(struct pool *p, const char *group);

/* The number of those that still live. */
unsigned pool_leased(struct pool *p);

/* Drop all: the nursery is gone, or we end. */
void pool_empty(struct pool *p);

/* Kill a cell that was not handed over, and free it. */
void pool_drop(struct pool *p, struct cell *c);

/* Call it last, after pool_empty(). */
void pool_fini(struct pool *p);

#endif
