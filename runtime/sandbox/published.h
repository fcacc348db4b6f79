/*
 * published - listen at the ports of this machine that lead into a sandbox.
 *
 * The monitor, or the client of `update`, makes the sockets with its own rights of that moment, and
 * hands them to glovebox-egress, which accepts at them. So glovebox-egress needs no right to any
 * port, and its cage lets it make no socket that listens (policy/egress.json).
 *
 * Touches the OS. Runs: monitor, client. Needs: CAP_NET_BIND_SERVICE for a port below 1024.
 */
#ifndef GLOVEBOX_SANDBOX_PUBLISHED_H
#define GLOVEBOX_SANDBOX_PUBLISHED_H

#include "base/err.h"
#include "netpolicy/egress.h"

struct published {
	struct egress_published ports[EGRESS_MAX_PUBLISHED]; /* as they are bound */
	int fds[EGRESS_MAX_PUBLISHED];                       /* owned */
	unsigned count;
};

/*
 * published_listen - listen at all of these ports, or at none.
 *
 * @ports  EGRESS_MAX_PUBLISHED at most; where host_port is 0 the kernel chooses.
 * @out    on success end with published_close().
 * Errors: ERR_EXISTS: a port is in use; ERR_INPUT: it needs root, or the address is not this
 * machine's.
 */
int published_listen(const struct egress_published *ports, size_t count, struct published *out,
		     struct err *e);

/*
 * published_add - listen at one more.
 * @p  its host_port is the one that the kernel has chosen, then.
 * Errors: the same; @out is as it was.
 */
int published_add(struct published *out, struct egress_published *p, struct err *e);

/*
 * published_check - judge a socket that another process has made for a published port. @fd:
 * borrowed. Errors: ERR_INPUT: it does not listen there.
 */
int published_check(int fd, const struct egress_published *p, struct err *e);

/* Close our copies of the sockets. A port stays open while another process has one. */
void published_close(struct published *p);

#endif
