/*
 * watch - everything that can happen while a program runs: output, input, its end, deadlines,
 * signals to us; an operation (base/loop.h).
 *
 * The deadline is kept here, outside the sandbox. It interrupts the program, whose `finally`
 * clauses may run, and ends half a second later in SIGKILL of everything inside: nothing that the
 * program does can postpone it. The run has timed out, however the program ends.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_WATCH_H
#define GLOVEBOX_HOST_WATCH_H

#include <stdbool.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/loop.h"
#include "host/cgroup.h"
#include "host/spawn.h"
#include "host/stream.h"
#include "spec/spec.h"
#include "spec/verdict.h"

/* The outer ends of a program's three streams. */
struct run_io {
	int in; /* borrowed; the program's input, and the terminal that it may be */
	struct sink out[2];
};

struct watch {
	/* in */
	const struct sandbox_spec *spec;
	struct child *child;
	const struct cgroup *cgroup;
	uint64_t command_timeout_ms; /* as timeout(1), SIGTERM to the program; 0: none */
	const struct run_io *io;     /* copied */
	uint64_t started_us;         /* monotonic, for the limit of wall time */
	/* out */
	int stage_fd;                  /* the /output tmpfs, owned by the caller; -1 */
	int space_fds[VERDICT_PLACES]; /* of other tmpfs (host/space.h); owned by the caller */
	unsigned space_count;
	int counters_fd;        /* of a network that it has not; owned by the caller; -1 */
	bool command_timed_out; /* the program got SIGTERM */
	bool reported;          /* pid 1 reported how the program ended */
	bool early; /* nothing runs any more, but the kernel still ends it: early_end.h */
	uint64_t early_cpu_us;  /* and what that has used, which `usage` does not have */
	int status;             /* wait status of the program */
	struct rusage usage;    /* of everything that was reaped inside */
	uint64_t killed_cpu_us; /* of all processes, when we killed them; 0: not known */
	bool left_behind;       /* its end did not come by child_end_by(), and nobody reaps it */
	int cancelled_by;       /* signal number, or 0 */
	int output_error;       /* the errno of a write, with SIGPIPE; 0: the reader has left */
	bool timed_out;
	bool cpu_exceeded;
	bool memory_exceeded; /* only if the kernel does not end the whole sandbox itself */
	bool in_sockets;      /* by the number of sockets */
	bool truncated[2];    /* not everything that was written has been passed on */
};

struct watching;

/*
 * watch_begin - begin to watch; end with watch_end().
 * @w  outlives it; its results are valid once watch_step() has returned true.
 * @e  outlives it; filled in by a step that fails: the child reported an error (a confinement step,
 *     exec), its sockets cannot be counted.
 */
struct watching *watch_begin(struct watch *w, struct err *e);

/* Only to wait for: loop_fd(), loop_wait(). */
struct loop *watch_loop(struct watching *l);

/*
 * watch_step - do what is due; never waits.
 * true: the sandbox is gone and its output is passed on, or dropped because its reader is past the
 * deadline.
 */
bool watch_step(struct watching *l);

/*
 * A signal has come to us. SIGWINCH resizes the program's terminal. With --sig-proxy any other is
 * passed on to the program; without, any other ends it.
 */
void watch_signal(struct watching *l, int number);

/* 0, or -1: *e says why. */
int watch_end(struct watching *l);

#endif
