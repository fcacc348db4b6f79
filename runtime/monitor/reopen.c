/*
 * reopen - open the root that a sandbox has left.
 */
#include "monitor/reopen.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/own.h"
#include "client/job.h"
#include "fs/state_file.h"
#include "monitor/layer.h"
#include "record/record.h"
#include "sandbox/spawn.h"

struct reopened {
	struct job job;
	uint32_t exec; /* the program that runs; 0: none */
	bool has_ended;
	int status;
	bool over;
};

static void reopen_on_end(void *context, const struct report *report)
{
	struct reopened *r = context;

	if (report->exec != r->exec)
		return;
	r->exec = 0;
	r->has_ended = true;
	r->status = report->value;
}

int reopened_fd(struct reopened *r, struct err *e)
{
	return loop_fd(job_loop(&r->job), e);
}

enum reopened_step reopened_step(struct reopened *r, int *status)
{
	r->over = r->over || job_step(&r->job);
	if (!r->has_ended)
		return r->over ? REOPENED_OVER : REOPENED_RUNS;
	r->has_ended = false;
	*status = r->status;
	return REOPENED_EXEC_ENDED;
}

/* Step until a program ends. false: the sandbox does. */
static bool reopen_await_exec(struct reopened *r, int *status)
{
	enum reopened_step step;

	while ((step = reopened_step(r, status)) == REOPENED_RUNS)
		(void)loop_wait(job_loop(&r->job), -1);
	return step == REOPENED_EXEC_ENDED;
}

/* Until pid 1 has sent the layers there is nothing to read. */
static int reopen_await_layers(struct reopened *r, struct err *e)
{
	int status;

	while (reopened_step(r, &status) != REOPENED_OVER) {
		if (run_layers(r->job.run) >= 0)
			return 0;
		(void)loop_wait(job_loop(&r->job), -1);
	}
	return err_set(e, ERR_GONE, "the sandbox of the root has ended");
}

static int reopen_lay(struct reopened *r, int layer, struct err *e)
{
	int status;

	if (layer_lay(r->job.run, layer, &r->exec, e))
		return -1;
	return reopen_await_exec(r, &status)
		       ? layer_judge(status, e)
		       : err_set(e, ERR_GONE, "the sandbox of the root has ended");
}

static int reopen_start(struct reopened *r, int layer, struct err *e)
{
	const struct run_io io = {
		-1, {{.fd = -1}, {.fd = -1}}
        };

	r->job.sandbox.waits = true;
	if (job_start(&r->job, &io, false, e))
		return -1;
	run_on_exec_end(r->job.run, reopen_on_end, r);
	return layer >= 0 ? reopen_lay(r, layer, e) : 0;
}

int reopen(const struct sandbox_spec *spec, int layer, struct reopened **out, struct err *e)
{
	struct reopened *r = own_zeroed(1, sizeof(*r));
	struct err ended;

	if (job_open(NULL, spec, JOB_RUN, &r->job, e)) {
		free(r);
		return -1;
	}
	if (!reopen_start(r, layer, e)) {
		*out = r;
		return 0;
	}
	/* Its own error says more than that it has ended. */
	if (reopened_end(r, -1, NULL, &ended) && e->kind == ERR_GONE)
		*e = ended;
	return -1;
}

int reopened_exec(struct reopened *r, const struct door_wish *wish, bool layers, struct child *out,
		  struct err *e)
{
	struct door_wish full = *wish;
	int input = -1;

	if (layers && reopen_await_layers(r, e))
		return -1;
	input = layers ? run_layers(r->job.run) : -1;
	full.streams = layers ? &input : NULL;
	return run_exec(r->job.run, &full, out, &r->exec, e);
}

/* Lay what is to be kept as the next start does. */
static int reopen_try(struct reopened *trial, int record_dir, struct err *e)
{
	auto_fd int layer = state_file_open(record_dir, RECORD_NEW_LAYER, O_RDONLY);

	if (layer < 0)
		return err_sys(e, "open what was changed in the root");
	return reopen_lay(trial, layer, e) ? err_prefix(e, "it could not start again") : 0;
}

/* The layer is read when no process is left that could change it. */
static int reopen_keep(const struct reopened *r, int record_dir, struct reopened *trial,
		       struct err *e)
{
	struct layer_keeping k;

	if (layer_keep_begin(record_dir, r->job.run, &k, e))
		return -1;
	layer_keep_await(&k);
	if (!k.child || !reopen_try(trial, record_dir, e))
		return layer_keep_end(&k, true, e);
	layer_keep_drop(&k);
	return -1;
}

static int reopen_finish(struct reopened *r, int record_dir, struct reopened *trial, struct err *e)
{
	struct verdict v = {0};
	struct err failed;
	int status;
	int bad;

	run_kill(r->job.run);
	while (!r->over && reopened_step(r, &status) != REOPENED_OVER)
		(void)loop_wait(job_loop(&r->job), -1);
	bad = record_dir >= 0 ? reopen_keep(r, record_dir, trial, e) : 0;
	if (job_end(&r->job, &v, &failed) && !bad)
		*e = failed, bad = -1;
	verdict_fini(&v);
	return bad ? -1 : 0;
}

int reopened_end(struct reopened *r, int record_dir, struct reopened *trial, struct err *e)
{
	int bad = r->job.run ? reopen_finish(r, record_dir, trial, e) : 0;

	job_close(&r->job);
	free(r);
	return bad;
}
