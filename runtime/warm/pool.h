/*
 * pool - make cells in advance, and hand them over to requests.
 *
 * The pool calls the nursery for a cell (its sockets and cgroup exist); when its pid 1 reports that
 * it has confined itself, the cell is ready. The kernel names the sender of that report
 * (SO_PASSCRED). The pool drops cells that die on the way, and calls for new ones. It tracks leased
 * cells while they live: the nursery must not end before them.
 *
 * Runs: supervisor. Needs: write access to the cgroups' parent.
 */
#ifndef GLOVEBOX_WARM_POOL_H
#define GLOVEBOX_WARM_POOL_H

#include <stdbool.h>

#include "base/err.h"
#include "cgroup/cgroup.h"
#include "namespace/idblock.h"
#include "sandbox/endings.h"
#include "warm/nursery.h"

#define POOL_MAX          512
#define POOL_CALLS        4 /* concurrent calls: the nursery makes one cell after the other */
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
 * A leased cell, tracked while it lives. A run is over for its client when only exiting processes
 * are left (sandbox/early_end.h); the rest and the group are ours then.
 *
 * The process that releases a mount namespace last waits for RCU (namespace_unlock(),
 * fs/namespace.c): we do that during the run, so that the cell's pid 1, for which the caller waits,
 * does not.
 */
struct leased {
	struct ending ending; /* its pid 1 and its group; not killed by us */
	int mounts;           /* owned */
	uint32_t uid;
};

struct pool {
	struct cell *cells[POOL_MAX]; /* in the order of their calls */
	unsigned count;
	struct limits limits;    /* of a waiting cell */
	struct endings *endings; /* borrowed; receives dropped cells */
	struct leased *leased;
	unsigned leased_count;
	unsigned leased_capacity;
	struct idblock ids; /* owned */
	struct err shared;  /* without own ids: why cells have the nursery's; ERR_NONE */
	uint32_t ids_next;
	bool id_taken[IDBLOCK_COUNT];
	uint64_t leased_at_us; /* the last lease */
	uint64_t made;         /* since the start */
	uint64_t failed;
	unsigned failed_in_a_row;
	bool is_stuck;  /* calls get no cells */
	struct err why; /* the last call that failed */
};

/*
 * Whether cells have ids of their own. Then an ordinary user's program may need its user's instead,
 * to access files of the host: it gets a cell with the nursery's ids (@as_caller). Otherwise each
 * cell is of both kinds.
 */
bool pool_has_kinds(const struct pool *p);
unsigned pool_count(const struct pool *p, bool as_caller);

/* The number of ready cells, and of those being made. */
unsigned pool_ready(const struct pool *p);
unsigned pool_under_way(const struct pool *p);

/* Whether calls have failed repeatedly: ERR_LIMIT with the reason. Ends when a cell is made. */
bool pool_is_broken(const struct pool *p, struct err *e);

/*
 * Prepare the pool, and lock an id block, so that each cell has an id of its own. Root must get
 * one.
 */
int pool_init(struct pool *p, struct err *e);

/* Call for one more cell. -1: p->why. */
int pool_call(struct pool *p, struct nursery *n, bool as_caller);

/* Check one cell's control socket and pidfd. true: it has died, and is dropped. */
bool pool_attend(struct pool *p, unsigned index);

/* Drop a ready cell of a kind beyond `wanted`: its waiting client has left. */
void pool_trim(struct pool *p, unsigned wanted, bool as_caller);

/* A cell of a kind, ready or not, for a description: borrowed until the next call. NULL: none. */
const struct cell *pool_any(const struct pool *p, bool as_caller);

/* Take out a ready cell of a kind; NULL: none. Owned by the caller: pool_lease() or pool_drop(). */
struct cell *pool_take(struct pool *p, bool as_caller);

/* Free a cell whose descriptors its client has received, but track its life. */
void pool_lease(struct pool *p, struct cell *c);

/* A leased cell has become a session that we keep: the session owns its group. */
void pool_keep(struct pool *p, const char *group);

/* The number of leased cells still alive. */
unsigned pool_leased(struct pool *p);

/* Drop all cells: the nursery has ended, or we exit. */
void pool_empty(struct pool *p);

/* Kill a cell that was not handed over, and free it. */
void pool_drop(struct pool *p, struct cell *c);

/* Call it last, after pool_empty(). */
void pool_fini(struct pool *p);

#endif
