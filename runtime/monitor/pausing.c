/*
 * pausing - freeze the processes of a sandbox that stays, and let them go on.
 */
#include "monitor/pausing.h"

#include "base/clock.h"

#define STEP_US 1000

static void pausing_finish(struct pausing *p, const struct err *failure)
{
	p->busy = false;
	run_set_paused(p->run, p->wanted && !failure);
	p->done(p->context, failure);
}

static void pausing_step(void *context)
{
	struct pausing *p = context;
	const struct cgroup_ref *group = &run_sandbox(p->run)->cgroup.ref;
	struct err e = {0};
	struct err ignored;
	int n = p->wanted ? cgroup_freeze_once(group, &e) : cgroup_thaw_once(group, &e);

	if (n == 0 && ++p->steps < CGROUP_FREEZE_STEPS) {
		hub_ring(p->hub, &p->timer, monotonic_us() + STEP_US);
		return;
	}
	if (n <= 0 && p->wanted)
		(void)cgroup_thaw_once(group, &ignored);
	pausing_finish(p, n > 0 ? NULL : &e);
}

int pausing_begin(struct pausing *p, bool pause, struct err *e)
{
	if (p->busy)
		return err_set(e, ERR_BUSY, "it is being paused, or unpaused");
	p->timer = (struct hub_timer){.ring = pausing_step, .context = p};
	p->busy = true;
	p->wanted = pause;
	p->steps = 0;
	if (pause)
		run_set_paused(p->run, true); /* a kill meanwhile thaws it */
	hub_ring(p->hub, &p->timer, monotonic_us());
	return 0;
}

void pausing_end(struct pausing *p)
{
	if (p->busy)
		hub_silence(p->hub, &p->timer);
	p->busy = false;
}
