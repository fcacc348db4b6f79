/*
 * egress - start the process that serves one sandbox's network.
 *
 * Theory of operation
 * ===================
 *
 *   we ── control (SOCK_SEQPACKET) ── glovebox-egress ── inner (SOCK_SEQPACKET) ── the step
 * "egress"
 *
 * We execute it in the control group of the sandbox, with these descriptors only. It receives
 * orders over `control` (sandbox/egress_order.h), and the sockets of the sandbox's network over the
 * other pair (inside/egress.h). It parses hostile bytes from both sides, so we do not trust its
 * answers: they are bounded, typed, and awaited with a deadline. It exits when the last copy of our
 * end of `control` is closed; a session's supervisor keeps one.
 *
 * Touches the OS. Runs: monitor, client. Needs: to fork; as root, to exchange ids.
 */
#ifndef GLOVEBOX_SANDBOX_EGRESS_H
#define GLOVEBOX_SANDBOX_EGRESS_H

#include <sys/types.h>

#include "base/err.h"
#include "cgroup/cgroup.h"
#include "netpolicy/egress.h"
#include "sandbox/egress_order.h"
#include "sandbox/published.h"

enum egress_life {
	EGRESS_WITH_US, /* the kernel kills it when we die */
	EGRESS_APART,   /* not our child; lives as long as a copy of `control` */
};

struct egress {
	int control;               /* owned; -1: the sandbox has no network */
	int inner;                 /* owned; becomes the plan's egress_fd */
	struct egress_order order; /* "begin", until it is answered */
	int ends[2];   /* owned; its ends of `control` and `inner`, until it is executed */
	char *program; /* owned */
	enum egress_life life;
	pid_t pid; /* our child, to be reaped; 0: not ours */
	struct egress_published published[EGRESS_MAX_PUBLISHED]; /* as they are bound */
	size_t published_count;
};

static inline struct egress egress_none(void)
{
	return (struct egress){
		.control = -1, .inner = -1, .order = egress_order_none(), .ends = {-1, -1}
        };
}

/*
 * egress_prepare - make its sockets, listen at published ports, and send the first request;
 * egress_start() executes it.
 *
 * @program  its path.
 * @id       of the sandbox, for its log.
 * @out      on success end with egress_end().
 * Errors: ERR_UNSUPPORTED: it is not installed; those of the log's file (--egress-log), and of
 * published_listen().
 */
int egress_prepare(const char *program, const struct egress_spec *spec, const char *id,
		   enum egress_life life, struct egress *out, struct err *e);

/*
 * egress_start - execute it, without waiting for its answer. Does nothing if it was executed
 * already, and on egress_none().
 *
 * @group  of its sandbox, which its usage counts for.
 * Errors: ERR_UNSUPPORTED: this process may not move it into the group.
 */
int egress_start(struct egress *x, const struct cgroup *group, struct err *e);

/*
 * egress_look - whether it has started. Never waits; poll the answer of `order` for input. 1: it
 * has; 0: not yet; -1: *e, its own.
 */
int egress_look(struct egress *x, struct err *e);

/* The same, but wait. 0 or -1. */
int egress_await(struct egress *x, struct err *e);

/*
 * egress_end - close everything. Our own child then ends its connections and its log, and is reaped
 * (after 2 s it is killed). Safe on egress_none(), and when called twice.
 */
void egress_end(struct egress *x);

#endif
