/*
 * job - one program of a spec, served warm or started cold: from the spec to its verdict.
 *
 *   job_open    the sandbox, a warm cell for it, the plan: all that can fail early
 *   job_start   it runs; from here on it is an operation (base/loop.h): job_loop(), job_step()
 *   job_end     its verdict
 *   job_close   on every path after job_open()
 *
 * Runs: monitor. Needs: what a cold sandbox needs; nothing when it is served warm.
 */
#ifndef GLOVEBOX_CLIENT_JOB_H
#define GLOVEBOX_CLIENT_JOB_H

#include "base/err.h"
#include "client/lease.h"
#include "host/run.h"
#include "host/sandbox.h"

struct job {
	struct sandbox sandbox;
	struct lease lease;
	struct ask
		*ask; /* from job_open_start() to job_open_end(); NULL: there is nothing to ask */
	struct run *run;    /* between job_start() and job_end() */
	const char *cold;   /* why it starts cold; NULL: it is served warm */
	struct err refusal; /* `cold` may point into it */
};

enum job_use {
	JOB_RUN,
	JOB_RESULT, /* the verdict lists what the program changed in /output, too */
	JOB_LOOK,   /* only to explain it: no cell is taken */
};

/*
 * job_open - decide how the program of a spec is run; spec->warm says which ways are allowed.
 *
 * @where  the supervisor (wire/runtime_dir.h); NULL: the user's own.
 * @spec   finished; outlives the job.
 * @out    must not move until job_close(), which ends it; on error nothing has to be ended.
 * Errors: whatever is wrong with the request or this host; ERR_UNSUPPORTED: WARM_REQUIRE, and no
 * cell can serve it.
 */
int job_open(const char *where, const struct sandbox_spec *spec, enum job_use use, struct job *out,
	     struct err *e);

/*
 * job_open_start, job_open_end - the same in two parts, neither of which waits for the supervisor.
 *
 * Between them the caller has ask_step() called until it is over, if there is something to ask
 * (`ask`). Giving up in between is job_close(). On error nothing has to be ended.
 */
int job_open_start(const char *where, const struct sandbox_spec *spec, enum job_use use,
		   struct job *out, struct err *e);
int job_open_end(struct job *j, struct err *e);

/*
 * job_start - start it; see run_start() for the parameters.
 * A cold sandbox is cloned from this process. A long-lived process that holds other people's
 * secrets must start `glovebox run` instead.
 */
int job_start(struct job *j, const struct run_io *io, bool account, struct err *e);

/* See host/run.h. */
struct loop *job_loop(struct job *j);
bool job_step(struct job *j);
void job_signal(struct job *j, int number);
int job_take_stage(struct job *j);
int job_end(struct job *j, struct verdict *out, struct err *e);

/* End it. A running program is ended first. */
void job_close(struct job *j);

/*
 * job_leave - as job_close(), for a process that is about to exit: only the control group would
 * outlive it. Memory and descriptors are left to the kernel, which frees them faster than we do (a
 * tenth of a run).
 */
void job_leave(struct job *j);

#endif
