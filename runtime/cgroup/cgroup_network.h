/*
 * cgroup_network - the directories for glovebox-egress in a sandbox's group.
 *
 * They lie below the directories of the limits and set no limits: the process's usage counts as
 * the sandbox's. They lie beside the sandbox's processes: killing or freezing those, or running
 * out of memory, spares glovebox-egress, which can still report its connections. cgroup_unlink()
 * removes them.
 *
 * Runs: monitor, client, supervisor. Needs: write access to the group.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_NETWORK_H
#define GLOVEBOX_CGROUP_CGROUP_NETWORK_H

#include <stdint.h>

#include "base/err.h"
#include "cgroup/cgroup.h"

struct cgroup_network {
	int birth;                 /* owned; v2: for CLONE_INTO_CGROUP; else -1 */
	int tasks[CGROUP_MAX_FDS]; /* owned; v1: files to which the process writes "0" */
	unsigned task_count;
};

/*
 * cgroup_network_open - make the directories. Without a group (no limits) the process gets none.
 * @out  end with cgroup_network_close(), also on error; that removes nothing.
 */
int cgroup_network_open(const struct cgroup *c, struct cgroup_network *out, struct err *e);
void cgroup_network_close(struct cgroup_network *n);

/* v1: join the calling process, which must have one thread. 0 or -1. */
int cgroup_network_join(const struct cgroup_network *n);

/* How many processes the directories hold: 0, or 1 for one or more. */
uint64_t cgroup_network_count(const struct cgroup *c);

/* Send SIGKILL to the processes there. */
void cgroup_network_kill(const struct cgroup_ref *group);

#endif
