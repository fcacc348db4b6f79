/*
 * monitor - the process of one sandbox that stays.
 */
#include "monitor/monitor.h"

#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "base/own.h"
#include "base/privileges.h"
#include "base/process.h"
#include "client/hub.h"
#include "client/registry_run.h"
#include "client/verdict_json.h"
#include "loop/fd.h"
#include "monitor/input_pipe.h"
#include "monitor/layer.h"
#include "monitor/visit.h"
#include "record/event.h"
#include "record/log.h"

struct monitor {
	const struct monitor_parts *parts;
	struct hub *hub;
	struct hub_operation running;
	struct hub_watch signals;
	struct visits visits;
	struct log log;
	int input[2];      /* of a program with -i: input_pipe() */
	uint32_t laying;   /* the program that lays what was changed before; 0: none */
	struct err failed; /* why it could not */
	bool has_started;
	bool asked;   /* to stop */
	bool removes; /* what is kept of it goes with its end */
	bool over;
	int exit_code;
};

/* -- the program's streams ------------------------------------------------------------------- */

static void monitor_take_output(void *context, const char *bytes, size_t length)
{
	log_add(context, 1, bytes, length);
}

static void monitor_take_errors(void *context, const char *bytes, size_t length)
{
	log_add(context, 2, bytes, length);
}

/* -- what happens ---------------------------------------------------------------------------- */

/* An order of `stop` or `kill` (base/process.h). */
static void monitor_tell_order(struct monitor *m, int order)
{
	const struct sandbox *s = &m->parts->job->sandbox;
	const bool stop = order == PROCESS_STOP || order == PROCESS_STOP_SIGNAL;

	m->asked |= stop;
	record_tell(
		m->parts->record,
		&(struct event){.action = "kill", .signal = stop ? s->spec->stop_signal : order});
}

static void monitor_take_signal(struct monitor *m, int number)
{
	if (number >= PROCESS_ORDERED)
		monitor_tell_order(m, number - PROCESS_ORDERED);
	job_signal(m->parts->job, number);
}

static void monitor_on_signals(void *context, uint32_t events)
{
	struct monitor *m = context;
	struct signalfd_siginfo info;

	(void)events;
	while (read(m->signals.fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		monitor_take_signal(m, process_signal_of(&info));
}

static void monitor_check_start(struct monitor *m)
{
	struct err ignored;

	if (m->has_started || !job_has_started(m->parts->job))
		return;
	m->has_started = true;
	(void)record_running(m->parts->record, &m->parts->job->sandbox, RECORD_RUNNING, &ignored);
	m->parts->started(m->parts->context);
}

/* A further program has ended. Behind the one that lays a layer the first begins. */
static void monitor_on_exec_end(void *context, const struct report *report)
{
	struct monitor *m = context;
	struct run *run = m->parts->job->run;

	if (!m->laying || report->exec != m->laying) {
		visits_on_exec_end(&m->visits, report);
		return;
	}
	m->laying = 0;
	idling_leave(&m->visits.idling, false);
	if (layer_judge(report->value, &m->failed) || run_start_first(run, &m->failed))
		run_kill(run);
}

static bool monitor_step(void *context)
{
	struct monitor *m = context;
	bool over = job_step(m->parts->job);

	monitor_check_start(m);
	return over;
}

static void monitor_on_end(void *context)
{
	((struct monitor *)context)->over = true;
}

/* -- its life -------------------------------------------------------------------------------- */

static int monitor_start_job(struct monitor *m, struct err *e)
{
	struct job *j = m->parts->job;
	auto_fd int layer = j->sandbox.spec->writable ? layer_open(m->parts->record->dir) : -1;
	const struct run_io io = {
		.in = m->input[INPUT_OURS],
		.out = {{.fd = -1, .take = monitor_take_output, .context = &m->log},
			{.fd = -1, .take = monitor_take_errors, .context = &m->log}}
        };

	if (j->sandbox.spec->writable && layer < 0 && errno != ENOENT)
		return err_sys(e, "open what was changed in the root");
	j->sandbox.waits = layer >= 0;
	if (job_start(j, &io, true, e) || (layer >= 0 && layer_lay(j->run, layer, &m->laying, e)) ||
	    privileges_keep("run", j->sandbox.output_fd < 0 ? "running" : "collects", e))
		return -1;
	registry_run_add_memory(&j->sandbox, m->parts->place);
	m->visits.input = &m->input[INPUT_OF_CLIENTS];
	if (visits_begin(&m->visits, m->hub, m->parts->record, m->parts->place, j->run, e))
		return -1;
	if (m->laying)
		idling_enter(&m->visits.idling);
	return 0;
}

static int monitor_begin(struct monitor *m, struct err *e)
{
	const struct sandbox_spec *spec = m->parts->job->sandbox.spec;

	if (log_begin(&m->log, m->parts->record->dir, spec->limits.log_bytes, e))
		return -1;
	if (spec->interactive && input_pipe(m->input, e))
		return -1;
	if (monitor_start_job(m, e))
		return -1;
	(void)fd_raise_limit(); /* of ours: what runs inside has begun with the caller's */
	run_on_exec_end(m->parts->job->run, monitor_on_exec_end, m);
	m->signals = (struct hub_watch){.ready = monitor_on_signals, .context = m};
	m->running = (struct hub_operation){
		.step = monitor_step, .operation = m, .done = monitor_on_end, .context = m};
	return hub_watch(m->hub, &m->signals, m->parts->signals, EPOLLIN, e) ||
			       hub_drive(m->hub, &m->running, job_loop(m->parts->job), e)
		       ? -1
		       : 0;
}

static void monitor_tell_end(const struct monitor *m, const struct verdict *v)
{
	struct record_kept *record = m->parts->record;

	if (v->oom_kills)
		record_tell(record, &(struct event){.action = "oom"});
	record_tell(record,
		    &(struct event){.action = "die", .ended = true, .exit_code = m->exit_code});
	if (m->asked)
		record_tell(record, &(struct event){.action = "stop"});
}

/*
 * @failure  NULL: there is a verdict.
 * @lost     what could not be kept beside it; NULL: nothing.
 */
static void monitor_record_end(struct monitor *m, const struct verdict *v,
			       const struct err *failure, const struct err *lost)
{
	const struct monitor_parts *p = m->parts;
	auto_buf struct buf result = {0};
	struct err ignored;

	if (m->removes) {
		monitor_tell_end(m, v);
		record_discard(p->record);
		return;
	}
	if (!failure)
		verdict_json(p->record->id, v, p->labels, &result);
	(void)record_ended(p->record, m->exit_code, failure ? NULL : &result,
			   failure ? failure : lost, &ignored);
	monitor_tell_end(m, v);
}

/* @lost  out: what of its root could not be kept. */
static void monitor_keep_root(const struct monitor *m, struct err *lost)
{
	const struct monitor_parts *p = m->parts;
	const int kept = layer_keep(p->record->dir, p->job->run, lost);

	if (kept < 0)
		(void)err_prefix(lost, "what was changed in the root is lost");
	else if (kept)
		(void)err_prefix(lost,
				 "what was changed in the root is kept in part, without this");
}

/* The verdict, and its record. */
static int monitor_finish(struct monitor *m, struct err *e)
{
	const struct monitor_parts *p = m->parts;
	struct verdict v = {0};
	struct err failed = {0};
	struct err lost = {0};
	int bad;

	pausing_end(&m->visits.pausing); /* it may be writing the layer */
	m->removes = p->job->sandbox.spec->remove && !record_is_held(p->record->dir);
	if (m->has_started && !m->removes)
		monitor_keep_root(m, &lost);
	bad = job_end(p->job, &v, &failed);
	if (!bad && m->failed.kind != ERR_NONE)
		failed = m->failed, bad = -1;
	if (!bad && !m->has_started)
		bad = err_set(&failed, ERR_GONE, "the sandbox has ended before its program began");
	/* First: whoever is told of the end may use the name again. */
	registry_leave(p->place);
	m->exit_code = bad ? 125 : v.exit_code;
	if (!m->has_started)
		record_failed(p->record, m->exit_code, &failed);
	else
		monitor_record_end(m, &v, bad ? &failed : NULL,
				   lost.kind != ERR_NONE ? &lost : NULL);
	verdict_fini(&v);
	*e = failed;
	return bad;
}

/* It runs, and cannot be watched. */
static void monitor_kill(struct job *j)
{
	struct verdict v = {0};
	struct err ignored;

	(void)job_end(j, &v, &ignored);
	verdict_fini(&v);
}

static int monitor_watch(struct monitor *m, struct err *e)
{
	if (monitor_begin(m, e)) {
		m->exit_code = 125;
		if (m->parts->job->run)
			monitor_kill(m->parts->job);
		record_failed(m->parts->record, m->exit_code, e);
		return -1;
	}
	while (!m->over)
		hub_turn(m->hub);
	return monitor_finish(m, e);
}

int monitor_run(const struct monitor_parts *parts, struct err *e)
{
	struct monitor m = {
		.parts = parts, .hub = hub_open(e), .log.fd = -1, .input = {-1, -1}
        };
	int bad = -1;

	m.signals.fd = -1;
	signal(SIGXFSZ, SIG_IGN); /* a log beyond the caller's limit of files loses what comes */
	if (m.hub)
		bad = monitor_watch(&m, e);
	hub_drop(&m.running);
	if (m.hub)
		hub_unwatch(m.hub, &m.signals);
	visits_end(&m.visits, m.exit_code);
	log_end(&m.log);
	own_close(&m.input[INPUT_OURS]);
	own_close(&m.input[INPUT_OF_CLIENTS]);
	hub_close(m.hub);
	return bad;
}
