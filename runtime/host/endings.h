/*
 * endings - what was killed and has not ended yet: cells, sessions, nurseries.
 *
 * Who serves many never waits for a death. A process may take any time to end, stuck in the kernel
 * (a dead network file system) or without CPU time, and others must be served meanwhile. So it is
 * killed, listed here, and checked until nothing of it is left.
 *
 * Runs: supervisor, serve, mcp. Needs: write access to the cgroups.
 */
#ifndef GLOVEBOX_HOST_ENDINGS_H
#define GLOVEBOX_HOST_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "host/cgroup.h"
#include "host/spawn.h"

struct ending {
	int pidfd;                   /* owned; of pid 1; -1: not known yet */
	pid_t child;                 /* a child of ours, to be reaped; 0 */
	bool held;                   /* we do not wait for it when we end: others see to it */
	bool frozen;                 /* or perhaps: on v1 a frozen process dies when it is thawed */
	char name[CGROUP_NAME_SIZE]; /* of its control group */
	int dirs[CGROUP_MAX_FDS];    /* owned */
	unsigned dir_count;
	uint64_t since_us;
};

struct endings {
	struct ending *items;
	unsigned count;
	unsigned capacity;
};

/* An empty ending: fill it in, then endings_add(). */
struct ending ending_none(void);

/* Take over a group, to remove it; @group is forgotten. */
void ending_take_group(struct ending *ending, struct cgroup *group);

/*
 * Open a group that a client will have, to remove it once he has let go of it, too: he holds its
 * lock until then (cgroup.h). Without descriptors for all of it, it is left to a sweep.
 */
void ending_share_group(struct ending *ending, const struct cgroup *group);

/* Close its directories. */
void ending_forget_group(struct ending *ending);

/* Take over a child; its other descriptors are closed. */
void ending_take_child(struct ending *ending, struct child *child);

/* Kill it and list it. Owned from here on. */
void endings_add(struct endings *endings, struct ending *ending);

/* The same for a child that is not reaped yet. @pidfd  its own; it is taken. */
void endings_add_process(struct endings *endings, pid_t child, int *pidfd);

/* List what ends by itself. Owned from here on. */
void endings_take(struct endings *endings, struct ending *ending);

/* A group whose processes have ended, or are killed now: it is removed, at once if it is empty. */
void endings_take_group(struct endings *endings, struct cgroup *group);

/* Check each once: release what has ended, and remove its group. */
void endings_look(struct endings *endings);

/* The longest time until the next check; -1: the list is empty. */
int endings_timeout_ms(const struct endings *endings);

/*
 * We end: wait a moment for the rest, then forget it. A later start removes its groups (cgroup.h).
 * A client that still has one, because nobody reads his output, removes it himself.
 */
void endings_fini(struct endings *endings);

#endif
