/*
 * watch - drive a running sandbox: output, input, its end, deadlines, signals; an operation
 * (loop/loop.h).
 *
 * We keep the deadline here, outside the sandbox. At the deadline we interrupt the program, whose
 * `finally` clauses may run, and half a second later send SIGKILL to everything inside: the program
 * cannot postpone it. The run has timed out, however the program ends.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_SANDBOX_WATCH_H
#define GLOVEBOX_SANDBOX_WATCH_H

#include <stdbool.h>
#include <sys/resource.h>

#include "base/err.h"
#include "cgroup/cgroup.h"
#include "loop/loop.h"
#include "sandbox/spawn.h"
#include "sandbox/streams.h"
#include "spec/spec.h"
#include "spec/verdict.h"

struct watch {
	/* in */
	const struct sandbox_spec *spec;
	struct child *child;
	const struct cgroup *cgroup;
	uint64_t command_timeout_ms; /* SIGTERM to the program, like timeout(1); 0: none */
	const struct run_io *io;     /* copied */
	uint64_t started_us;         /* monotonic start of the wall time limit */
	bool paused;                 /* frozen now */
	void (*ended)(void *context, const struct report *r); /* a program (sandbox/door.h) */
	void *context;
	/* out */
	int stage_fd;                  /* the /output tmpfs, owned by the caller; -1 */
	int space_fds[VERDICT_PLACES]; /* of other tmpfs (sandbox/run.c); owned by the caller */
	unsigned space_count;
	int counters_fd;        /* counters of a network that it lacks; owned by the caller; -1 */
	bool command_timed_out; /* timeout(1)'s SIGTERM was sent */
	bool started;           /* of a sandbox that stays: its first program has been executed */
	bool reported;          /* pid 1 has reported the program's end */
	bool early;             /* the last process is exiting in the kernel: early_end.h */
	uint64_t early_cpu_us;  /* its CPU time, which `usage` lacks */
	int status;             /* wait status of the program */
	struct rusage usage;    /* of all processes reaped inside */
	uint64_t killed_cpu_us; /* of all processes, when we killed them; 0: unknown */
	bool left_behind;       /* it did not end by child_end_by(), and is not reaped */
	int cancelled_by;       /* signal number, or 0 */
	int output_error;       /* errno of a write, with SIGPIPE; 0: the reader has closed */
	bool timed_out;
	bool idle; /* with timed_out: watch_expire() set the deadline */
	bool cpu_exceeded;
	bool memory_exceeded; /* and the kernel did not end the sandbox itself */
	bool in_sockets;      /* too many sockets */
	bool truncated[2];    /* part of the output was not relayed */
};

struct watching;

/*
 * watch_begin - start watching; end with watch_end().
 * @w  outlives it; its results are valid after watch_step() has returned true.
 * @e  outlives it; set by a failing step: the child reported an error (a confinement step, exec),
 *     or its sockets cannot be counted.
 */
struct watching *watch_begin(struct watch *w, struct err *e);

/* Only for waiting: loop_fd(), loop_wait(). */
struct loop *watch_loop(struct watching *l);

/*
 * watch_step - do what is due, without waiting. true: the sandbox is gone and its output has been
 * relayed, or dropped because its reader is past the deadline.
 */
bool watch_step(struct watching *l);

/*
 * Handle a signal that we received. SIGWINCH resizes the program's terminal. With --sig-proxy the
 * program receives any other; without, any other ends it.
 */
void watch_signal(struct watching *l, int number);

/* Set the size of the program's terminal, if it has one. */
void watch_resize(struct watching *l, uint16_t rows, uint16_t columns);

/* Its memory limit has changed; with @timed the wall time limit counts from now. */
void watch_update(struct watching *l, const struct limits *next, bool timed);

/* Its deadline is now, because it has been idle for too long. */
void watch_expire(struct watching *l);

/* 0, or -1: *e says why. */
int watch_end(struct watching *l);

#endif
