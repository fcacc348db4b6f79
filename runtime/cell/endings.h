/*
 * endings - what was killed and has not ended yet: cells, sessions, nurseries.
 *
 * The supervisor never waits for a death. A process may take as long as it likes to end, in the
 * kernel (a dead network file system) or for want of a processor, and others are to be served
 * meanwhile. So what is to end is killed, put here, and looked at until nothing of it is left.
 *
 * Runs: the warm supervisor.
 */
#ifndef GLOVEBOX_CELL_ENDINGS_H
#define GLOVEBOX_CELL_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "host/cgroup.h"
#include "host/spawn.h"

struct ending {
	int pidfd;                /* owned; of pid 1, -1: it was not there yet */
	pid_t child;              /* of ours, to be reaped; 0 */
	bool frozen;              /* or perhaps: what v1 has frozen dies when it is let go */
	char name[80];            /* of its control group */
	int dirs[CGROUP_MAX_FDS]; /* owned */
	unsigned dir_count;
	uint64_t since_us;
};

struct endings {
	struct ending *items;
	unsigned count;
	unsigned capacity;
};

/* Nothing of it is to be ended yet: fill it in, then endings_add(). */
struct ending ending_none(void);

/* Take over a group that is to be removed; it is forgotten there. */
void ending_take_group(struct ending *ending, struct cgroup *group);

/* Take over a child: what else it has is closed. */
void ending_take_child(struct ending *ending, struct child *child);

/* Kill it, and remember it. Owned from here on. */
void endings_add(struct endings *endings, struct ending *ending);

/* Look at each once: let go of what has ended, remove its group. */
void endings_look(struct endings *endings);

/* How long until the next look, at most; -1: there is nothing to look at. */
int endings_timeout_ms(const struct endings *endings);

/* We end: wait a moment for those that are left, then forget them. A later start removes their
 * groups (cgroup.h). */
void endings_fini(struct endings *endings);

#endif
