/*
 * job - run one program of a spec, warm or cold, from the spec to its verdict.
 *
 *   job_open    the sandbox, a warm cell for it, the plan: everything that can fail early
 *   job_start   start the program; from here on an operation (loop/loop.h): job_loop(), job_step()
 *   job_end     its verdict
 *   job_close   on every path after job_open()
 *
 * Runs: monitor. Needs: those of a cold sandbox; nothing for a warm start.
 */
#ifndef GLOVEBOX_CLIENT_JOB_H
#define GLOVEBOX_CLIENT_JOB_H

#include "base/err.h"
#include "client/lease.h"
#include "sandbox/run.h"
#include "sandbox/sandbox.h"

struct job {
	struct sandbox sandbox;
	struct lease lease;
	struct ask *ask;    /* from job_open_start() to job_open_end(); NULL: no request to make */
	struct run *run;    /* between job_start() and job_end() */
	const char *cold;   /* why it starts cold; NULL: it starts warm */
	struct err refusal; /* `cold` may point into it */
};

enum job_use {
	JOB_RUN,
	JOB_RESULT, /* the verdict also lists the program's changes of /output */
	JOB_LOOK,   /* only explain it: take no cell */
};

/*
 * job_open - decide how to run the program of a spec; spec->warm tells which ways are allowed.
 *
 * @where  the supervisor (wire/runtime_dir.h); NULL: the user's own.
 * @spec   finished; outlives the job.
 * @out    must not move until job_close(), which ends it; on error it owns nothing.
 * Errors: whatever is wrong with the request or this host; ERR_UNSUPPORTED: WARM_REQUIRE, but no
 * cell can serve the spec.
 */
int job_open(const char *where, const struct sandbox_spec *spec, enum job_use use, struct job *out,
	     struct err *e);

/*
 * job_open_start, job_open_end - asynchronous variant in two parts, neither of which waits for the
 * supervisor.
 *
 * Between them the caller drives `ask`, if not NULL, with ask_step() until it is over. job_close()
 * cancels in between. On error the job owns nothing.
 */
int job_open_start(const char *where, const struct sandbox_spec *spec, enum job_use use,
		   struct job *out, struct err *e);
int job_open_end(struct job *j, struct err *e);

/*
 * job_start - start the program; run_start() describes the parameters. A cold sandbox is a clone of
 * this process. A long-lived process with secrets of several users must start `glovebox run`
 * instead.
 */
int job_start(struct job *j, const struct run_io *io, bool account, struct err *e);

/* See sandbox/run.h. */
struct loop *job_loop(struct job *j);
bool job_step(struct job *j);
void job_signal(struct job *j, int number);
bool job_has_started(const struct job *j);
int job_take_stage(struct job *j);
int job_end(struct job *j, struct verdict *out, struct err *e);

/* Close the job. Kills a running program first. */
void job_close(struct job *j);

/*
 * job_leave - variant of job_close() for a process that is about to exit: remove only the control
 * group, which would outlive it. The kernel frees memory and descriptors faster than we do (a tenth
 * of a run).
 */
void job_leave(struct job *j);

#endif
