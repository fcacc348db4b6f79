/*
 * idling - end a sandbox that stays when it has been idle for long (--idle-timeout).
 */
#include "monitor/idling.h"

#include "loop/clock.h"

static void idling_ring(void *context)
{
	const struct idling *i = context;

	run_expire(i->run);
}

static void idling_wait(struct idling *i)
{
	const uint64_t idle_ms = run_limits(i->run).idle_ms;

	if (idle_ms != SPEC_UNLIMITED)
		hub_ring(i->hub, &i->timer, i->since_us + idle_ms * 1000);
}

void idling_begin(struct idling *i, struct hub *hub, struct run *run)
{
	*i = (struct idling){
		.hub = hub,
		.run = run,
		.since_us = monotonic_us(),
		.timer = {.ring = idling_ring, .context = i}
        };
	idling_wait(i);
}

void idling_enter(struct idling *i)
{
	i->busy++;
	hub_silence(i->hub, &i->timer);
}

void idling_leave(struct idling *i, bool looked)
{
	if (!looked)
		i->since_us = monotonic_us();
	if (!--i->busy && i->run)
		idling_wait(i);
}

void idling_end(struct idling *i)
{
	i->run = NULL;
	if (i->hub)
		hub_silence(i->hub, &i->timer);
}
