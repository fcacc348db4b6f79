/*
 * egress_process - execute glovebox-egress with two descriptors and nothing else of ours.
 *
 * Touches the OS. Runs: monitor, client. Needs: to fork.
 */
#ifndef GLOVEBOX_HOST_EGRESS_PROCESS_H
#define GLOVEBOX_HOST_EGRESS_PROCESS_H

#include <sys/types.h>

#include "base/err.h"
#include "host/egress.h"

/* The numbers under which it has them. */
#define EGRESS_CONTROL_FD 3
#define EGRESS_SOCKETS_FD 4

/*
 * egress_process_start - a session and process group of its own, /dev/null as standard streams.
 *
 * @control, @sockets  borrowed; its ends.
 * @out                a child of ours; 0 with EGRESS_APART.
 * That it could not be executed shows as the end of `control`, and errors here are ours:
 * ERR_UNSUPPORTED without a /dev/null.
 */
int egress_process_start(const char *program, int control, int sockets, enum egress_life life,
			 pid_t *out, struct err *e);

/*
 * Reap a child of ours that was told to end; after 2 s it is killed. One that does not end even
 * then is left to the kernel, which kills it with us.
 */
void egress_process_end(pid_t pid);

#endif
