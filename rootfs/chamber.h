/*
 * chamber - the only place in which a program of a package runs while an image is built.
 *
 * A chamber is one step of a build, in namespaces of its own:
 *
 *   user   0 to 65535 are ids that nobody has on the host (subids.h), for root's builds, too
 *   pid    its pid 1 is a fork of ours, which no process in there can trace; when it ends,
 *          everything in there ends, and it ends with this process
 *   mount  a root of its own (chamber_root.h): the host's /usr and /etc to read, and the
 *          directory that is passed from step to step; nothing else of the host
 *   ipc, uts, cgroup
 *   net    empty, with a loopback of its own, and perhaps some hosts (chamber_network.h). Only
 *          a step of our own that downloads has the host's, and then no Unix sockets
 *          (chamber_filter.h)
 *
 * A step leaves files in that directory behind, and nothing else.
 *
 * Runs: glovebox-image. Needs: root, or user namespaces with newuidmap(1).
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_H
#define GLOVEBOX_ROOTFS_CHAMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/list.h"
#include "chamber_root.h"
#include "host/cgroup.h"
#include "host/egress.h"
#include "subids.h"

struct chamber_step {
	const char *name; /* for messages */
	struct list argv;
	struct list env;
	const struct subids *ids;
	const struct chamber_inputs *inputs;
	/*
	 * In place of argv: code of ours, with the rights of the chamber's root. It has its
	 * standard streams and no other descriptor. 0, or -1 with *e, which is printed; it may
	 * execute a program, too.
	 */
	int (*task)(const void *context, struct err *e);
	const void *context;              /* borrowed */
	const int *input;                 /* what it reads; borrowed; NULL: nothing */
	const struct egress_spec *egress; /* hosts that it may reach; NULL: none */
	const struct limits *limits; /* of it alone: wall-clock time, and a control group; NULL */
	bool network;                /* that of the host */
	bool piped;       /* its standard output goes to the caller instead of being shown */
	bool cleans;      /* a signal to us does not end it */
	unsigned limit_s; /* wall-clock time after which it is killed; 0: none, or that of limits */
};

struct chamber {
	const char *name;
	bool cleans;
	pid_t pid;
	pid_t log_pid; /* the process that reads its output (chamber_log.h) */
	int log_fd;    /* what that keeps; owned */
	int pid_fd;
	int out_fd; /* owned; -1 unless piped */
	struct egress egress;
	struct cgroup group; /* none, unless it has limits */
	uint64_t limit_ms;   /* 0: none */
	bool limit_is_asked; /* by --timeout */
	uint64_t ends_at_us; /* 0: whenever */
};

/*
 * chamber_start - returns when the step's program has been started.
 * @out  on success end with chamber_finish().
 * Errors: ERR_UNSUPPORTED, ERR_SYSTEM, named after the step; nothing is left.
 */
int chamber_start(const struct chamber_step *step, struct chamber *out, struct err *e);

/*
 * chamber_finish - wait for its end, and report whether it succeeded. What a step that failed, or
 * reached its limit, had printed is then on stderr.
 * @abandon  end it within a second, and report only what went wrong before. A signal to us
 *           (interrupt.h) ends it at once, and is an error.
 */
int chamber_finish(struct chamber *c, bool abandon, struct err *e);

/* Start and finish it. */
int chamber_run(const struct chamber_step *step, struct err *e);

#endif
