/*
 * cgroup_network - the directories of a sandbox's group in which glovebox-egress is.
 *
 * They are below those of the limits and have none of their own: what the process takes counts as
 * the sandbox's. They are beside the processes of the sandbox, so what is done to all of these (an
 * end, a freeze, a death for lack of memory) is not done to it, and it can still tell what became
 * of connections. cgroup_unlink() removes them.
 *
 * Runs: monitor, client, supervisor. Needs: write access to the group.
 */
#ifndef GLOVEBOX_HOST_CGROUP_NETWORK_H
#define GLOVEBOX_HOST_CGROUP_NETWORK_H

#include <stdint.h>

#include "base/err.h"
#include "host/cgroup.h"

struct cgroup_network {
	int birth;                 /* owned; v2: for CLONE_INTO_CGROUP; else -1 */
	int tasks[CGROUP_MAX_FDS]; /* owned; v1: files that the process writes "0" to */
	unsigned task_count;
};

/*
 * cgroup_network_open - make them. Without a group (no limits) there is none for the process
 * either.
 * @out  end with cgroup_network_close(), on error too; nothing is removed by that.
 */
int cgroup_network_open(const struct cgroup *c, struct cgroup_network *out, struct err *e);
void cgroup_network_close(struct cgroup_network *n);

/* v1: the calling process, which has one thread, joins. 0 or -1. */
int cgroup_network_join(const struct cgroup_network *n);

/* How many processes are there: 0, or 1 for one or more. */
uint64_t cgroup_network_count(const struct cgroup *c);

/* SIGKILL to those that are there. @dirs  of the group; borrowed. */
void cgroup_network_kill(const char *group, const int *dirs, unsigned count);

#endif
