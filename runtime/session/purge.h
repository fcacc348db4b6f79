/*
 * purge - kill the processes of a session's old state, except waiting checkpoints.
 *
 * The session cannot fork meanwhile, so that no process is missed. No function here waits.
 *
 * Runs: client, while it has borrowed the session. Needs: to signal the session's processes, and
 * write access to its cgroups.
 */
#ifndef GLOVEBOX_SESSION_PURGE_H
#define GLOVEBOX_SESSION_PURGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/session.h"

struct purge {
	const struct session *session;
	unsigned kept; /* how many of the oldest checkpoints to keep */
	bool is_held[CGROUP_MAX_FDS];
	char limits[CGROUP_MAX_FDS][32]; /* the old values of "pids.max" */
};

/*
 * purge_start - tell pid 1 with which process the session ends from now on, and keep the session
 * from forking.
 *
 * @kept  how many of the oldest checkpoints stay.
 * @to    that process, by its pid inside.
 * Errors: ERR_BUSY: pid 1 does not read its orders; nothing has changed.
 */
int purge_start(const struct session *session, unsigned kept, uint32_t to, struct purge *out,
		struct err *e);

/*
 * purge_step - kill the remaining processes. true: none was left. Otherwise try again in a moment.
 */
bool purge_step(struct purge *p);

/* purge_end - allow forks again. -1: failed, *e. */
int purge_end(struct purge *p, struct err *e);

/*
 * The start time of the process with this pid inside, as the kernel counts it; 0: it does not
 * exist.
 */
uint64_t purge_find_start(const struct session *s, uint32_t pid);

/* Send SIGCONT: hostile code can stop a checkpoint. */
void purge_wake(const struct session *s, uint32_t pid);

#endif
