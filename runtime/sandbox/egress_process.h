/*
 * egress_process - execute glovebox-egress with two descriptors and nothing else of ours.
 *
 * Touches the OS. Runs: monitor, client. Needs: to fork.
 */
#ifndef GLOVEBOX_SANDBOX_EGRESS_PROCESS_H
#define GLOVEBOX_SANDBOX_EGRESS_PROCESS_H

#include <sys/types.h>

#include "base/err.h"
#include "cgroup/cgroup.h"
#include "sandbox/egress.h"

/* Its descriptor numbers. */
#define EGRESS_CONTROL_FD 3
#define EGRESS_SOCKETS_FD 4

struct egress_program {
	const char *path;
	int control; /* borrowed; the process's ends */
	int sockets;
	enum egress_life life;
};

/*
 * egress_process_start - execute it in a session and process group of its own, with /dev/null as
 * standard streams.
 *
 * @group  of the sandbox; borrowed. It is executed in there (cgroup/cgroup_network.h).
 * @out    our child; 0 with EGRESS_APART.
 * If exec fails, `control` reports end of file. Errors here are ours: ERR_UNSUPPORTED without a
 * /dev/null, or if this process may not move it into the group.
 */
int egress_process_start(const struct egress_program *program, const struct cgroup *group,
			 pid_t *out, struct err *e);

/*
 * Reap our child after it was told to exit; kill it after 2 s. If it is stuck even then, leave it
 * to the kernel, which kills it when we exit.
 */
void egress_process_end(pid_t pid);

#endif
