/*
 * ordering - give glovebox-egress one order, and have its answer told.
 */
#include "monitor/ordering.h"

#include <sys/epoll.h>

#include "loop/clock.h"

static void ordering_look(struct ordering *o)
{
	auto_json struct json *answer = NULL;
	struct err e = o->failed;
	const int got = e.kind == ERR_NONE ? egress_order_look(&o->order, &answer, &e) : -1;

	if (!got)
		return;
	ordering_end(o);
	o->done(o->context, got < 0 ? &e : NULL);
}

static void ordering_ready(void *context, uint32_t events)
{
	(void)events;
	ordering_look(context);
}

static void ordering_ring(void *context)
{
	ordering_look(context);
}

void ordering_begin(struct ordering *o, int control, const struct buf *request, const int *fds,
		    unsigned count)
{
	struct err ignored;

	o->failed = (struct err){0};
	o->watch = (struct hub_watch){.ready = ordering_ready, .context = o, .fd = -1};
	o->late = (struct hub_timer){.ring = ordering_ring, .context = o};
	if (egress_order_send(control, request, fds, count, &o->order, &o->failed)) {
		hub_ring(o->hub, &o->late, monotonic_us());
		return;
	}
	hub_ring(o->hub, &o->late, o->order.end_us);
	(void)hub_watch(o->hub, &o->watch, o->order.answer, EPOLLIN, &ignored);
}

void ordering_end(struct ordering *o)
{
	hub_unwatch(o->hub, &o->watch);
	hub_silence(o->hub, &o->late);
	egress_order_end(&o->order);
}
