/*
 * endings - track killed cells, sessions and nurseries until they have ended.
 *
 * A process that serves many clients never waits for a death. A killed process may take any time to
 * end, stuck in the kernel (a dead network file system) or without CPU time, and other clients must
 * be served meanwhile. So it is killed, listed here, and checked until nothing of it is left.
 *
 * Runs: supervisor, serve, mcp. Needs: write access to the cgroups.
 */
#ifndef GLOVEBOX_SANDBOX_ENDINGS_H
#define GLOVEBOX_SANDBOX_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroup/cgroup.h"
#include "sandbox/spawn.h"

struct ending {
	int pidfd;               /* owned; of pid 1; -1: unknown yet */
	pid_t child;             /* our child, to be reaped; 0: none */
	bool held;               /* not awaited when we exit: another process sees to it */
	bool frozen;             /* possibly frozen: on v1 such a process dies when it is thawed */
	struct cgroup_ref group; /* owned */
	uint64_t since_us;
};

struct endings {
	struct ending *items;
	unsigned count;
	unsigned capacity;
};

/* An empty ending: fill it in, then call endings_add(). */
struct ending ending_none(void);

/*
 * Open a client's future group, in order to remove it once the client has released its lock
 * (cgroup.h). Without descriptors for all of its directories, a sweep removes it.
 */
void ending_share_group(struct ending *ending, const struct cgroup *group);

/* Take over a child; close its other descriptors. */
void ending_take_child(struct ending *ending, struct child *child);

/* Kill it and list it. Owned by the list from here on. */
void endings_add(struct endings *endings, struct ending *ending);

/* The same for a child that is not reaped yet. @pidfd: its own; taken. */
void endings_add_process(struct endings *endings, pid_t child, int *pidfd);

/* List a process that ends by itself. Owned by the list from here on. */
void endings_take(struct endings *endings, struct ending *ending);

/* List a group whose processes have ended, or kill them now. An empty group is removed at once. */
void endings_take_group(struct endings *endings, struct cgroup *group);

/* Check each entry once: release what has ended, and remove its group. */
void endings_look(struct endings *endings);

/* The longest time until the next check; -1: the list is empty. */
int endings_timeout_ms(const struct endings *endings);

/*
 * Before we exit: wait a moment for the rest, then forget it. A later start sweeps its groups
 * (cgroup.h). A client that still holds one, because its output is not read, removes it itself.
 */
void endings_fini(struct endings *endings);

#endif
