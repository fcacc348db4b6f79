/*
 * chamber - run a step of a build in namespaces of its own: only there do programs of packages run.
 *
 * A chamber is one step of a build, in namespaces of its own:
 *
 *   user   0 to 65535 are ids that no user of the host has (subids.h), for root's builds, too
 *   pid    its pid 1 is a fork of ours, which processes in there cannot trace; when it ends, the
 *          kernel kills all of them, and it ends with this process
 *   mount  a root of its own (chamber_root.h): the host's /usr and /etc to read, and the
 *          directory that is passed from step to step; nothing else of the host
 *   ipc, uts, cgroup
 *   net    empty, with a loopback of its own, and perhaps some hosts (sandbox/egress.h). Only a
 *          step of our own that downloads has the host's, and then no Unix sockets
 *          (chamber_filter.h)
 *
 * A step leaves only files in that directory behind.
 *
 * Runs: glovebox-image. Needs: root, or user namespaces with newuidmap(1).
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_H
#define GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/list.h"
#include "cgroup/cgroup.h"
#include "chamber_root.h"
#include "sandbox/egress.h"
#include "subids.h"

struct chamber_step {
	const char *name; /* for messages */
	struct list argv;
	struct list env;
	const struct subids *ids;
	const struct chamber_inputs *inputs;
	/*
	 * Instead of argv: code of ours, with the rights of the chamber's root. It has only its
	 * standard streams. 0, or -1 with *e, which is printed; it may also execute a program.
	 */
	int (*task)(const void *context, struct err *e);
	const void *context;              /* borrowed */
	const int *input;                 /* its standard input; borrowed; NULL: empty */
	const struct egress_spec *egress; /* hosts that it may reach; NULL: none */
	const struct limits
		*limits;  /* of this step alone: wall-clock time, and a control group; NULL */
	bool network;     /* has the host's network */
	bool piped;       /* its standard output goes to the caller instead of the log */
	bool cleans;      /* a signal to us does not end it */
	unsigned limit_s; /* wall-clock time limit; 0: none, or that of limits */
};

struct chamber {
	const char *name;
	bool cleans;
	pid_t pid;
	pid_t log_pid; /* the process that reads its output (chamber_log.h) */
	int log_fd;    /* its log; owned */
	int pid_fd;
	int out_fd; /* owned; -1 unless piped */
	struct egress egress;
	struct cgroup group; /* none without limits */
	uint64_t limit_ms;   /* 0: none */
	bool limit_is_asked; /* by --timeout */
	uint64_t ends_at_us; /* deadline; 0: none */
};

/*
 * chamber_start - start the step's program.
 * @out  on success end with chamber_finish().
 * Errors: ERR_UNSUPPORTED, ERR_SYSTEM, with the step's name; nothing is left behind.
 */
int chamber_start(const struct chamber_step *step, struct chamber *out, struct err *e);

/*
 * chamber_finish - wait for its end, and report whether it succeeded. Prints the output of a step
 * that failed, or reached its limit, on stderr.
 * @abandon  end it within a second, and report only an earlier failure. A signal to us
 *           (interrupt.h) ends it at once, and is an error.
 */
int chamber_finish(struct chamber *c, bool abandon, struct err *e);

/* Start and finish it. */
int chamber_run(const struct chamber_step *step, struct err *e);

#endif
