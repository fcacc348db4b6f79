/*
 * watch - one loop over everything that can happen while a program runs: its
 * output, its input, its end, its deadlines, signals to us.
 *
 * The deadline is kept here, outside of the sandbox, and ends in SIGKILL of
 * everything inside: nothing that the program does can postpone it.
 *
 * Runs: supervisor, single-threaded.
 */
#ifndef GLOVEBOX_HOST_WATCH_H
#define GLOVEBOX_HOST_WATCH_H

#include <signal.h>
#include <sys/resource.h>

#include "base/err.h"
#include "host/cgroup.h"
#include "host/spawn.h"
#include "host/verdict.h"
#include "spec/spec.h"

struct watch {
	const struct sandbox_spec *spec;
	struct child *child;
	const struct cgroup *cgroup;
	uint64_t command_timeout_ms; /* as timeout(1): then SIGTERM to the program; 0: none */
	bool command_timed_out;      /* out */
	bool forward;                /* the program's output goes to our stdout and stderr */
	bool capture;                /* and/or into the verdict */
	int stage_fd;                /* out: the /output tmpfs, owned by the caller; -1 */
	bool reported;               /* out: pid 1 told how the program ended */
	int status;                  /* out: wait status of the program */
	struct rusage usage;         /* out: of everything that was reaped inside */
	int cancelled_by;            /* out: signal number, 0 */
	bool timed_out;              /* out */
	bool cpu_exceeded;           /* out */
	bool memory_exceeded;        /* out; only where the kernel does not end the whole itself */
};

/*
 * watch_signals - block the signals that end a run, to be read by the loop.
 * Call before the child is made. Signals that the caller ignores stay ignored.
 */
int watch_signals(int *out_fd, struct err *e);

/*
 * watch_run - until the sandbox is gone and its output is handed on, or past its deadline is read
 * by nobody.
 *
 * @started_us  monotonic clock at the start, for the wall limit.
 * Errors: what the child reported (a confinement step, an exec that failed); its sockets cannot be
 * counted; it does not end within CHILD_END_MS of being killed: then it is left behind unreaped.
 */
int watch_run(struct watch *w, int signal_fd, uint64_t started_us, struct verdict *v,
	      struct err *e);

#endif
