/*
 * ordering - give glovebox-egress one order, and have its answer told.
 */
#include "monitor/ordering.h"

#include <sys/epoll.h>

#include "loop/clock.h"

/* Its answer has come, is late, or never comes. */
static void ordering_look(void *context)
{
	struct ordering *o = context;
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

void ordering_init(struct ordering *o, struct hub *hub,
		   void (*done)(void *context, const struct err *failure), void *context)
{
	*o = (struct ordering){
		.hub = hub,
		.done = done,
		.context = context,
		.order = egress_order_none(),
		.watch = {.ready = ordering_ready, .context = o, .fd = -1},
		.late = {.ring = ordering_look,                       .context = o              },
	};
}

void ordering_begin(struct ordering *o, int control, const struct buf *request, const int *fds,
		    unsigned count)
{
	struct err ignored;

	o->failed = (struct err){0};
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
