/*
 * pausing - freeze the processes of a sandbox that stays, let it hibernate, and let it go on.
 */
#include "monitor/pausing.h"

#include "loop/clock.h"

#define STEP_US 1000

static void pausing_finish(struct pausing *p, const struct err *failure)
{
	const struct err *why = p->failed.kind != ERR_NONE ? &p->failed : failure;

	p->busy = false;
	if (!failure)
		p->state = p->wanted;
	run_set_paused(p->run, p->state != RECORD_RUNNING);
	p->done(p->context, why);
}

static void pausing_try(struct pausing *p, enum record_state wanted)
{
	p->wanted = wanted;
	p->steps = 0;
	hub_ring(p->hub, &p->timer, monotonic_us());
}

static void pausing_on_hibernated(void *context, const struct err *failure)
{
	struct pausing *p = context;

	if (!failure || p->state != RECORD_RUNNING) {
		pausing_finish(p, failure);
		return;
	}
	p->failed = *failure;
	pausing_try(p, RECORD_RUNNING);
}

static void pausing_step(void *context)
{
	struct pausing *p = context;
	const struct cgroup_ref *group = &run_sandbox(p->run)->cgroup.ref;
	const bool stops = p->wanted != RECORD_RUNNING;
	struct err e = {0};
	struct err ignored;
	int n = stops ? cgroup_freeze_once(group, &e) : cgroup_thaw_once(group, &e);

	if (n == 0 && ++p->steps < CGROUP_FREEZE_STEPS) {
		hub_ring(p->hub, &p->timer, monotonic_us() + STEP_US);
		return;
	}
	if (n <= 0 && stops) {
		(void)cgroup_thaw_once(group, &ignored);
		p->state = RECORD_RUNNING;
	}
	if (n > 0 && p->wanted == RECORD_HIBERNATED)
		hibernating_begin(&p->hibernating);
	else
		pausing_finish(p, n > 0 ? NULL : &e);
}

void pausing_init(struct pausing *p, struct hub *hub, struct run *run, int record_dir,
		  void (*done)(void *context, const struct err *failure), void *context)
{
	*p = (struct pausing){
		.hub = hub,
		.run = run,
		.done = done,
		.context = context,
		.state = RECORD_RUNNING,
		.hibernating = {.hub = hub,
				.run = run,
				.record_dir = record_dir,
				.done = pausing_on_hibernated,
				.context = p},
		.timer = {.ring = pausing_step, .context = p}
        };
}

int pausing_begin(struct pausing *p, enum record_state wanted, struct err *e)
{
	if (p->busy)
		return err_set(e, ERR_BUSY, "it is being paused, or unpaused");
	p->busy = true;
	p->failed = (struct err){0};
	if (wanted != RECORD_RUNNING)
		run_set_paused(p->run, true); /* a kill meanwhile thaws it */
	pausing_try(p, wanted);
	return 0;
}

void pausing_end(struct pausing *p)
{
	if (!p->busy)
		return;
	hub_silence(p->hub, &p->timer);
	hibernating_end(&p->hibernating);
	p->busy = false;
}
