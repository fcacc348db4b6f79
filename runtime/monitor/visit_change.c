/*
 * visit_change - the requests of a monitor's clients that change its sandbox, and take a while.
 */
#include "monitor/usage.h"
#include "monitor/visit_parts.h"

void visit_tell_usage(const struct visit *x)
{
	struct monitor_answer answer;

	usage_read(x->of->run, &answer);
	(void)visit_send(x, &answer, NULL, 0);
	form_fini(&monitor_answer_form, &answer);
}

/* One that hibernates says where its memory is. */
static void visit_change_tell_paused(const struct visit *x, const struct err *failure)
{
	if (!failure && x->of->pausing.state == RECORD_HIBERNATED)
		visit_tell_usage(x);
	else
		visit_conclude(x, failure);
}

static void visit_change_on_paused(void *context, const struct err *failure)
{
	struct visits *v = context;
	const enum record_state state = v->pausing.state;
	struct err ignored;

	/* A sandbox that hibernates is not idle. */
	if (state == RECORD_HIBERNATED && v->record->state != RECORD_HIBERNATED)
		idling_enter(&v->idling);
	else if (state != RECORD_HIBERNATED && v->record->state == RECORD_HIBERNATED)
		idling_leave(&v->idling, false);
	(void)record_running(v->record, run_sandbox(v->run), state, &ignored);
	if (v->pauser)
		visit_change_tell_paused(v->pauser, failure);
	v->pauser = NULL;
}

void visit_pause(struct visit *x, enum record_state wanted)
{
	const enum record_state state = x->of->pausing.state;
	struct err e;

	if (wanted == RECORD_HIBERNATED && state == wanted)
		visit_change_tell_paused(x, NULL);
	else if (wanted == RECORD_RUNNING && state == wanted)
		err_input(&e, "it is not paused"), visit_refuse(x, &e);
	else if (wanted == RECORD_PAUSED && state != RECORD_RUNNING)
		err_input(&e, "it is paused already"), visit_refuse(x, &e);
	else if (pausing_begin(&x->of->pausing, wanted, &e))
		visit_refuse(x, &e);
	else
		x->of->pauser = x;
}

static void visit_change_on_updated(void *context, const struct err *failure)
{
	struct visits *v = context;

	if (v->updater)
		visit_conclude(v->updater, failure);
	v->updater = NULL;
}

void visit_update(struct visit *x, const struct visit_request *q)
{
	struct err e;

	if (updating_begin(&x->of->updating, &q->fields, q->document, q->message, &e))
		visit_refuse(x, &e);
	else
		x->of->updater = x;
}

void visit_change_init(struct visits *v)
{
	v->updating = (struct updating){.hub = v->hub,
					.run = v->run,
					.record = v->record,
					.done = visit_change_on_updated,
					.context = v};
	pausing_init(&v->pausing, v->hub, v->run, v->record->dir, visit_change_on_paused, v);
}

void visit_change_leave(const struct visit *x)
{
	if (x->of->pauser == x)
		x->of->pauser = NULL;
	if (x->of->updater == x)
		x->of->updater = NULL;
}
