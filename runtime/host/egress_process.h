/*
 * egress_process - execute glovebox-egress with two descriptors and nothing else of ours.
 *
 * Touches the OS. Runs: monitor, client. Needs: to fork.
 */
#ifndef GLOVEBOX_HOST_EGRESS_PROCESS_H
#define GLOVEBOX_HOST_EGRESS_PROCESS_H

#include <sys/types.h>

#include "base/err.h"
#include "host/cgroup.h"
#include "host/egress.h"

/* The numbers under which it has them. */
#define EGRESS_CONTROL_FD 3
#define EGRESS_SOCKETS_FD 4

struct egress_program {
	const char *path;
	int control; /* borrowed; its ends */
	int sockets;
	enum egress_life life;
};

/*
 * egress_process_start - a session and process group of its own, /dev/null as standard streams.
 *
 * @group  of the sandbox; borrowed. It is executed in there (host/cgroup_network.h).
 * @out    a child of ours; 0 with EGRESS_APART.
 * That it could not be executed shows as the end of `control`, and errors here are ours:
 * ERR_UNSUPPORTED without a /dev/null, or where this process may not put it into the group.
 */
int egress_process_start(const struct egress_program *program, const struct cgroup *group,
			 pid_t *out, struct err *e);

/*
 * Reap a child of ours that was told to end; after 2 s it is killed. One that does not end even
 * then is left to the kernel, which kills it with us.
 */
void egress_process_end(pid_t pid);

#endif
