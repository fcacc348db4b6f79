/*
 * lease - a warm cell for one run: taken from the supervisor, then ours alone.
 *
 * The supervisor hands over what makes one a cell's master: its pidfd, its control
 * socket, the socket on which it waits for its plan, its cgroups. From then on a
 * run is watched, judged and ended by the same code as a cold one, and the cell
 * dies with whoever holds it.
 *
 * Runs: clients (`glovebox run`, and whatever else makes sandboxes).
 */
#ifndef GLOVEBOX_CELL_LEASE_H
#define GLOVEBOX_CELL_LEASE_H

#include "base/err.h"
#include "host/sandbox.h"

struct lease {
	int pidfd;
	int control;
	int start;
	int groups[CGROUP_MAX_FDS];
	unsigned group_count;
	char group[80];
	uint32_t host_uid;
	uint32_t host_gid;
	uint64_t nofile; /* hard limit that the cell inherits */
	unsigned skip;   /* words of argv that we stand in for */
};

static inline struct lease lease_none(void)
{
	return (struct lease){.pidfd = -1, .control = -1, .start = -1};
}

enum lease_use {
	LEASE_RUN,
	LEASE_SESSION, /* the interpreter itself is wanted, not a command line: argv is not looked
			  at */
	LEASE_LOOK,    /* as for a run, which is only explained: no cell is taken */
};

/*
 * lease_take - ask the supervisor of this user for a cell that fits an opened sandbox.
 *
 * @out     on success owns its descriptors: s->source points to it, s->start and
 *          s->map are set, and s->start() or lease_drop() ends it.
 * @reason  on 1, why there is none; a literal or text in `e`.
 *
 * Returns 0; 1 when this run is to start cold; -1 when the supervisor is busy or
 * broken (*e).
 */
int lease_take(struct sandbox *s, enum lease_use use, struct lease *out, const char **reason,
	       struct err *e);

/*
 * lease_check - whether the plan still fits after sandbox_plan().
 * NULL, or the reason why not.
 */
const char *lease_check(const struct sandbox *s, const struct lease *lease);

/* Give the cell up: it dies unused. Safe on lease_none(), and after the run. */
void lease_drop(struct lease *lease);

#endif
