/*
 * supply - replace a server's warm supervisor when it ends.
 */
#include "serve/supply.h"

#include "base/say.h"
#include "loop/clock.h"

#define PAUSE_US       100000
#define LONGEST_US     10000000
#define LOOK_US        2000000  /* between checks of the user's supervisor */
#define LIVED_US       60000000 /* after so long a life its end does not count as a failed start */
#define REASON_UNKNOWN "the warm supervisor has ended; another takes its place"

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

/* Use the present supervisor, the user's or our own. */
static void supply_found(void *context, bool is_another, const struct err *why)
{
	struct supply *s = context;
	struct err e;

	if (!is_another && why) {
		say_error(why);
		supply_try_later(s);
	} else if (!s->supplier->own) {
		hub_ring(s->hub, &s->again, monotonic_us() + LOOK_US);
	} else if (supply_watch(s, &e)) {
		say_error(&e);
		supply_try_later(s);
	}
}

static void supply_look(void *context)
{
	struct supply *s = context;

	resupply_start(&s->another);
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
	resupply_init(&s->another, hub, supplier, false, supply_found, s);
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
	resupply_stop(&s->another);
}

void supply_say_ids(struct log *log)
{
	struct err why;

	if (supplier_shares_ids(&why))
		log_say(log, "cells have the user id of this server: %s", why.text);
}
