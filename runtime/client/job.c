/*
 * job - one program of a spec, served warm or started cold: from the spec to its verdict.
 */
#include "client/job.h"

#include <string.h>

/* Report the reason as an error if warm is required; otherwise the job starts cold. */
static int job_go_cold(struct job *j, const char *why, struct err *e)
{
	if (j->sandbox.spec->warm == WARM_REQUIRE)
		return err_set(e, ERR_UNSUPPORTED, "--warm=require: %s", why);
	j->cold = why;
	return 0;
}

/* Take a warm cell, or record why it starts cold. */
static int job_take_lease(const char *where, struct job *j, enum job_use use, struct err *e)
{
	const char *reason = "--warm=never";
	int found = 1;

	if (j->sandbox.spec->warm != WARM_NEVER)
		found = lease_take(where, &j->sandbox, use == JOB_LOOK ? LEASE_LOOK : LEASE_RUN,
				   &j->lease, &reason, &j->refusal);
	if (found > 0)
		return job_go_cold(j, reason, e);
	if (found < 0 && j->sandbox.spec->warm == WARM_AUTO)
		return job_go_cold(j, j->refusal.text, e); /* slower, never wrong */
	if (found < 0)
		*e = j->refusal;
	return found;
}

/* The plan may show that the cell does not fit; then it is made again, for a cold start. */
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

int job_open(const char *where, const struct sandbox_spec *spec, enum job_use use, struct job *out,
	     struct err *e)
{
	static const enum sandbox_output outputs[] = {
		[JOB_RUN] = OUTPUT_COLLECT, [JOB_RESULT] = OUTPUT_LIST, [JOB_LOOK] = OUTPUT_LEAVE};

	out->lease = lease_none();
	out->run = NULL;
	out->cold = NULL;
	if (sandbox_open(spec, &out->sandbox, e))
		return -1;
	out->sandbox.output_use = outputs[use];
	if (!job_take_lease(where, out, use, e) && !job_plan(out, e))
		return 0;
	job_close(out);
	return -1;
}

int job_start(struct job *j, const struct run_io *io, bool account, struct err *e)
{
	return run_start(&j->sandbox, io, account, &j->run, e);
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

int job_end(struct job *j, struct verdict *out, struct err *e)
{
	struct run *run = j->run;

	j->run = NULL;
	return run_end(run, out, e);
}

void job_close(struct job *j)
{
	struct verdict verdict = {0};
	struct err ignored;

	if (j->run)
		(void)job_end(j, &verdict, &ignored);
	verdict_fini(&verdict);
	lease_drop(&j->lease);
	sandbox_destroy(&j->sandbox);
}

void job_leave(struct job *j)
{
#ifdef __SANITIZE_ADDRESS__
	job_close(j);
#else
	lease_drop(&j->lease);
	cgroup_close(&j->sandbox.cgroup);
#endif
}
