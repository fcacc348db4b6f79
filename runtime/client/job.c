/*
 * job - run one program of a spec, warm or cold, from the spec to its verdict.
 */
#include "client/job.h"

#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "client/network.h"
#include "host/omit.h"
#include "loop/clock.h"

#define RESIDUE_US 20000000

/* Fail with the reason if warm is required; otherwise start cold. */
static int job_go_cold(struct job *j, const char *why, struct err *e)
{
	if (j->sandbox.spec->warm == WARM_REQUIRE)
		return err_set(e, ERR_UNSUPPORTED, "--warm=require: %s", why);
	j->cold = why;
	return 0;
}

/* Take the cell, or record why the job starts cold. */
static int job_take_lease(struct job *j, struct err *e)
{
	const char *reason = "";
	struct ask *ask = j->ask;
	int found;

	if (!ask)
		return 0;
	j->ask = NULL;
	found = lease_ask_end(&j->sandbox, &j->lease, ask, &reason, &j->refusal);
	if (found > 0)
		return job_go_cold(j, reason, e);
	if (found < 0 && j->sandbox.spec->warm == WARM_AUTO)
		return job_go_cold(j, j->refusal.text, e); /* slower, but always right */
	if (found < 0)
		*e = j->refusal;
	return found;
}

/* The plan may show that the cell does not fit; then plan again, for a cold start. */
static int job_plan(struct job *j, struct err *e)
{
	const char *misfit;

	if (sandbox_plan(&j->sandbox, e))
		return -1;
	misfit = j->cold ? NULL : lease_check(&j->sandbox, &j->lease);
	if (!misfit)
		return 0;
	if (job_go_cold(j, misfit, e))
		return -1;
	lease_drop(&j->lease);
	sandbox_replan_cold(&j->sandbox);
	return sandbox_plan(&j->sandbox, e);
}

static int job_ask(const char *where, struct job *j, enum job_use use, struct err *e)
{
	const char *reason = "--warm=never";

	if (j->sandbox.spec->warm != WARM_NEVER &&
	    !lease_ask_start(where, &j->sandbox, use == JOB_LOOK ? LEASE_LOOK : LEASE_RUN,
			     &j->lease, &j->ask, &reason))
		return 0;
	return job_go_cold(j, reason, e);
}

int job_open_start(const char *where, const struct sandbox_spec *spec, enum job_use use,
		   struct job *out, struct err *e)
{
	static const enum sandbox_output outputs[] = {
		[JOB_RUN] = OUTPUT_COLLECT, [JOB_RESULT] = OUTPUT_LIST, [JOB_LOOK] = OUTPUT_LEAVE};

	out->lease = lease_none();
	out->ask = NULL;
	out->run = NULL;
	out->cold = NULL;
	if (sandbox_open(spec, &out->sandbox, e))
		return -1;
	out->sandbox.output_use = outputs[use];
	if ((use == JOB_LOOK || !network_prepare(&out->sandbox, EGRESS_WITH_US, e)) &&
	    !job_ask(where, out, use, e))
		return 0;
	job_close(out);
	return -1;
}

int job_open_end(struct job *j, struct err *e)
{
	if (!job_take_lease(j, e) && !job_plan(j, e))
		return 0;
	job_close(j);
	return -1;
}

int job_open(const char *where, const struct sandbox_spec *spec, enum job_use use, struct job *out,
	     struct err *e)
{
	if (job_open_start(where, spec, use, out, e))
		return -1;
	while (out->ask && !ask_step(out->ask))
		loop_wait(ask_loop(out->ask), -1);
	return job_open_end(out, e);
}

int job_start(struct job *j, const struct run_io *io, bool account, struct err *e)
{
	struct egress *egress = &j->sandbox.egress;
	int bad = run_start(&j->sandbox, io, account, &j->run, e);

	own_close(&egress->inner); /* the sandbox has a copy */
	return bad;
}

struct loop *job_loop(struct job *j)
{
	return run_loop(j->run);
}

bool job_step(struct job *j)
{
	return run_step(j->run);
}

void job_signal(struct job *j, int number)
{
	run_signal(j->run, number);
}

bool job_has_started(const struct job *j)
{
	return run_has_started(j->run);
}

int job_take_stage(struct job *j)
{
	return run_take_stage(j->run);
}

/* If glovebox-egress does not answer any more, it ended before the program: that is a result. */
static void job_count_network(const struct job *j, struct verdict *out)
{
	const int control = j->sandbox.egress.control;
	struct err ignored;

	if (control < 0)
		return;
	out->network =
		egress_summarize(control, &out->egress, &ignored) ? NETWORK_LOST : NETWORK_COUNTED;
}

int job_end(struct job *j, struct verdict *out, struct err *e)
{
	struct run *run = j->run;
	int bad;

	j->run = NULL;
	bad = run_end(run, out, e);
	job_count_network(j, out);
	egress_end(&j->sandbox.egress); /* completes its log */
	return bad;
}

#ifdef GLOVEBOX_TESTING
/* For tests that omit "residue": leave a process in the group, long enough to be found. */
static void job_leave_residue(const struct job *j)
{
	const struct cgroup *c = &j->sandbox.cgroup;

	if (!host_omits("residue"))
		return;
	for (unsigned i = 0; i < c->ref.count; i++)
		(void)io_put(c->ref.dirs[i], "cgroup.procs", "0");
	if (fork())
		return;
	close_range(0, ~0u, 0);
	clock_pause_us(RESIDUE_US);
	_exit(0);
}
#else
#define job_leave_residue(j) ((void)(j))
#endif

void job_close(struct job *j)
{
	struct verdict verdict = {0};
	struct err ignored;

	if (j->run)
		(void)job_end(j, &verdict, &ignored);
	verdict_fini(&verdict);
	ask_abandon(j->ask);
	lease_drop(&j->lease);
	job_leave_residue(j);
	sandbox_destroy(&j->sandbox);
}

void job_leave(struct job *j)
{
#ifdef __SANITIZE_ADDRESS__
	job_close(j);
#else
	lease_drop(&j->lease);
	job_leave_residue(j);
	egress_end(&j->sandbox.egress);
	cgroup_close(&j->sandbox.cgroup);
#endif
}
