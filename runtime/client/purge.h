/*
 * purge - end the processes of a session's old state, except those that wait as checkpoints.
 *
 * No process may be started meanwhile, so that none is missed. Nothing here waits.
 *
 * Runs: client, while it has borrowed the session. Needs: to signal the session's processes, and
 * write access to its cgroups.
 */
#ifndef GLOVEBOX_CLIENT_PURGE_H
#define GLOVEBOX_CLIENT_PURGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/session.h"

struct purge {
	const struct session *session;
	unsigned kept; /* the number of checkpoints to keep, the oldest */
	bool is_held[CGROUP_MAX_FDS];
	char limits[CGROUP_MAX_FDS][32]; /* the old values of "pids.max" */
};

/*
 * purge_start - from now on no process is started in it. @kept: how many of the oldest checkpoints
 * stay.
 */
void purge_start(const struct session *session, unsigned kept, struct purge *out);

/* purge_step - kill those that are left. true: none was left. Else try again in a moment. */
bool purge_step(struct purge *p);

/* purge_end - allow processes again. -1: that failed, *e. */
int purge_end(struct purge *p, struct err *e);

/* The start time of the process with this pid inside, as the kernel counts it; 0: there is none. */
uint64_t purge_find_start(const struct session *s, uint32_t pid);

/* Continue it in case it was stopped: the code can stop a checkpoint. */
void purge_wake(const struct session *s, uint32_t pid);

#endif
