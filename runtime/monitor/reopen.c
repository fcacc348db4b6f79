/*
 * reopen - look at the root that a sandbox has left.
 */
#include "monitor/reopen.h"

#include "base/privileges.h"
#include "base/process.h"
#include "client/job.h"
#include "monitor/copying.h"
#include "monitor/layer.h"

struct reopening {
	struct job job;
	int layer; /* -1: none, or laid */
	const char *verb;
	int to;
	uint32_t exec;   /* the mover that runs; 0: none */
	bool is_telling; /* and it is the last one */
	int result;
	struct err *e;
};

/* Lay what is to be laid first. Until pid 1 has sent the layers there is nothing to tell. */
static void reopen_go_on(struct reopening *r)
{
	struct run *run = r->job.run;
	int bad = 0;

	if (r->exec || run_layers(run) < 0)
		return;
	r->is_telling = r->layer < 0;
	bad = r->is_telling ? layer_tell(run, r->verb, r->to, &r->exec, r->e)
			    : layer_lay(run, r->layer, &r->exec, r->e);
	r->layer = -1;
	if (bad)
		run_kill(run);
}

static void reopen_on_end(void *context, const struct report *report)
{
	struct reopening *r = context;

	if (report->exec != r->exec)
		return;
	if (r->is_telling)
		r->result = copying_judge(report->value, r->e);
	else if (!layer_judge(report->value, r->e))
		r->exec = 0;
	if (r->exec)
		run_kill(r->job.run);
}

static int reopen_run(struct reopening *r, struct err *e)
{
	const struct run_io io = {
		-1, {{.fd = -1}, {.fd = -1}}
        };
	struct verdict v = {0};
	struct err ended = {0};

	if (job_start(&r->job, &io, false, e) || privileges_keep("run", "running", e))
		return -1;
	run_on_exec_end(r->job.run, reopen_on_end, r);
	(void)err_set(e, ERR_GONE, "the sandbox that looks at the root has ended");
	while (!job_step(&r->job)) {
		reopen_go_on(r);
		(void)loop_wait(job_loop(&r->job), -1);
	}
	if (job_end(&r->job, &v, &ended))
		*e = ended;
	verdict_fini(&v);
	return r->result;
}

int reopen(const struct sandbox_spec *spec, int layer, const char *verb, int to, struct err *e)
{
	struct reopening r = {.layer = layer, .verb = verb, .to = to, .result = -1, .e = e};
	int result;

	if (job_open(NULL, spec, JOB_RUN, &r.job, e))
		return -1;
	r.job.sandbox.waits = true;
	result = reopen_run(&r, e);
	job_close(&r.job);
	return result;
}
