/*
 * supply - a server's own warm supervisor is started again when it has ended.
 */
#include "serve/supply.h"

#include "base/clock.h"
#include "base/own.h"
#include "base/say.h"

#define PAUSE_US       100000
#define LONGEST_US     10000000
#define LOOK_US        2000000  /* between looks at the user's */
#define LIVED_US       60000000 /* then its end has nothing to do with its start */
#define REASON_UNKNOWN "the warm supervisor has ended; it is started again"

static int supply_watch(struct supply *s, struct err *e)
{
	s->started_us = monotonic_us();
	return hub_watch(s->hub, &s->ended, s->supplier->pipe, 0, e);
}

static void supply_try_later(struct supply *s)
{
	hub_ring(s->hub, &s->again, monotonic_us() + s->pause_us);
	s->pause_us = clock_earlier(s->pause_us * 2, LONGEST_US);
}

static void supply_start(struct supply *s)
{
	struct err e;

	if (!supplier_restart(s->supplier, &e) && !supply_watch(s, &e))
		return;
	say_error(&e);
	supply_try_later(s);
}

static void supply_answered(void *context)
{
	struct supply *s = context;

	if (supplier_is_lost(s->supplier, take_ptr(&s->ask)))
		supply_start(s);
	else
		hub_ring(s->hub, &s->again, monotonic_us() + LOOK_US);
}

static bool supply_step(void *operation)
{
	return ask_step(operation);
}

/* One that is stopped takes 5 s not to answer: others are served meanwhile. */
static void supply_ask(struct supply *s)
{
	struct err e;

	s->ask = supplier_ask_status(s->supplier);
	s->question = (struct hub_operation){
		.step = supply_step, .operation = s->ask, .done = supply_answered, .context = s};
	if (!hub_drive(s->hub, &s->question, ask_loop(s->ask), &e))
		return;
	ask_abandon(take_ptr(&s->ask));
	say_error(&e);
	hub_ring(s->hub, &s->again, monotonic_us() + LOOK_US);
}

static void supply_look(void *context)
{
	struct supply *s = context;

	if (s->supplier->own)
		supply_start(s);
	else
		supply_ask(s);
}

static void supply_ended(void *context, uint32_t events)
{
	struct supply *s = context;
	struct err e;

	(void)events;
	hub_unwatch(s->hub, &s->ended);
	err_set(&e, ERR_GONE, REASON_UNKNOWN);
	supplier_explain(s->supplier, &e);
	say_error(&e);
	if (monotonic_us() - s->started_us > LIVED_US)
		s->pause_us = PAUSE_US;
	supply_try_later(s);
}

int supply_keep(struct supply *s, struct hub *hub, struct supplier *supplier, struct err *e)
{
	*s = (struct supply){.hub = hub, .supplier = supplier, .pause_us = PAUSE_US};
	s->ended = (struct hub_watch){.ready = supply_ended, .context = s, .fd = -1};
	s->again = (struct hub_timer){.ring = supply_look, .context = s};
	if (supplier->own)
		return supply_watch(s, e);
	hub_ring(hub, &s->again, monotonic_us() + LOOK_US);
	return 0;
}

void supply_leave(struct supply *s)
{
	if (!s->hub)
		return;
	hub_unwatch(s->hub, &s->ended);
	hub_silence(s->hub, &s->again);
	hub_drop(&s->question);
	ask_abandon(take_ptr(&s->ask));
}
