/*
 * hub - drive descriptors, operations and timers of a server with one epoll(7).
 */
#include "client/hub.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/clock.h"
#include "loop/epoll_set.h"

#define BATCH 64 /* events per turn */

/* A watch of a lone hub. */
struct hub_few {
	struct hub_watch *watch; /* NULL: none */
	short events;            /* of poll(2), which are those of epoll_ctl(2) */
};

struct hub {
	int fd; /* owned; -1: it has one operation at a time, and waits with poll(2) */
	struct hub_operation *lone;
	struct hub_few few[LOOP_ALSO];
	struct hub_timer *timers;
	uint64_t rings_us; /* while it rings timers: their time; else 0 */
	struct endings endings;
	struct epoll_event events[BATCH];
	int count;
};

struct hub *hub_open(struct err *e)
{
	struct hub *hub = own_zeroed(1, sizeof(*hub));

	hub->fd = epoll_create1(EPOLL_CLOEXEC);
	if (hub->fd >= 0)
		return hub;
	err_sys(e, "make an epoll descriptor");
	free(hub);
	return NULL;
}

struct hub *hub_open_lone(void)
{
	struct hub *hub = own_zeroed(1, sizeof(*hub));

	hub->fd = -1;
	return hub;
}

void hub_close(struct hub *hub)
{
	if (!hub)
		return;
	endings_fini(&hub->endings);
	if (hub->fd >= 0)
		epoll_set_forget(hub->fd);
	own_close(&hub->fd);
	free(hub);
}

/* -- descriptors ----------------------------------------------------------------------------- */

/* The place of a watch of a lone hub; NULL: a free one. */
static struct hub_few *hub_find(struct hub *hub, const struct hub_watch *w)
{
	for (unsigned i = 0; i < LOOP_ALSO; i++) {
		if (hub->few[i].watch == w)
			return &hub->few[i];
	}
	return NULL;
}

static int hub_watch_few(struct hub *hub, struct hub_watch *w, int fd, uint32_t events,
			 struct err *e)
{
	struct hub_few *place = hub_find(hub, NULL);

	if (!place)
		return err_set(e, ERR_LIMIT, "too many descriptors for a lone hub");
	*place = (struct hub_few){w, (short)events};
	w->fd = fd;
	return 0;
}

int hub_watch(struct hub *hub, struct hub_watch *w, int fd, uint32_t events, struct err *e)
{
	struct epoll_event event = {.events = events, .data.ptr = w};

	w->fd = -1;
	if (hub->fd < 0)
		return hub_watch_few(hub, w, fd, events, e);
	if (epoll_set_control(hub->fd, EPOLL_CTL_ADD, fd, &event))
		return err_sys(e, "watch a descriptor");
	w->fd = fd;
	return 0;
}

int hub_rewatch(struct hub *hub, struct hub_watch *w, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = w};

	if (hub->fd < 0) {
		hub_find(hub, w)->events = (short)events;
		return 0;
	}
	return epoll_set_control(hub->fd, EPOLL_CTL_MOD, w->fd, &event);
}

void hub_unwatch(struct hub *hub, struct hub_watch *w)
{
	if (w->fd < 0)
		return;
	if (hub->fd < 0)
		hub_find(hub, w)->watch = NULL;
	else
		epoll_set_control(hub->fd, EPOLL_CTL_DEL, w->fd, NULL);
	w->fd = -1;
	for (int i = 0; i < hub->count; i++) {
		if (hub->events[i].data.ptr == w)
			hub->events[i].data.ptr = NULL;
	}
}

/* -- operations ------------------------------------------------------------------------------ */

static void hub_step(void *context, uint32_t events)
{
	struct hub_operation *x = context;

	(void)events;
	if (!x->step(x->operation))
		return;
	hub_drop(x);
	x->done(x->context);
}

/* Its loop cannot tell when a step is due: step it every EPOLL_SET_LOOK_US. */
static void hub_step_blindly(void *context)
{
	struct hub_operation *x = context;

	if (loop_is_blind(x->loop))
		hub_ring(x->hub, &x->blind, monotonic_us() + EPOLL_SET_LOOK_US);
	hub_step(x, 0);
}

int hub_drive(struct hub *hub, struct hub_operation *x, struct loop *loop, struct err *e)
{
	int fd;

	x->hub = hub;
	x->loop = loop;
	x->watch = (struct hub_watch){.ready = hub_step, .context = x, .fd = -1};
	x->blind = (struct hub_timer){.ring = hub_step_blindly, .context = x};
	if (hub->fd < 0) {
		hub->lone = x;
		return 0;
	}
	fd = loop_fd(loop, e);
	if (fd < 0 || hub_watch(hub, &x->watch, fd, EPOLLIN, e))
		return -1;
	if (loop_is_blind(loop))
		hub_ring(hub, &x->blind, monotonic_us() + EPOLL_SET_LOOK_US);
	return 0;
}

void hub_drop(struct hub_operation *x)
{
	if (x->hub) {
		x->hub->lone = NULL;
		hub_unwatch(x->hub, &x->watch);
		hub_silence(x->hub, &x->blind);
	}
	x->hub = NULL;
}

/* -- moments --------------------------------------------------------------------------------- */

void hub_silence(struct hub *hub, struct hub_timer *t)
{
	struct hub_timer **at = &hub->timers;

	if (!t->is_set)
		return;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->is_set = false;
}

/* The list is sorted by time. */
void hub_ring(struct hub *hub, struct hub_timer *t, uint64_t due_us)
{
	struct hub_timer **at = &hub->timers;

	if (due_us <= hub->rings_us)
		due_us = hub->rings_us + 1;
	if (t->is_set && t->due_us == due_us)
		return;
	hub_silence(hub, t);
	while (*at && (*at)->due_us <= due_us)
		at = &(*at)->next;
	t->due_us = due_us;
	t->is_set = true;
	t->next = *at;
	*at = t;
}

static int hub_patience_ms(const struct hub *hub)
{
	const int most_ms = endings_timeout_ms(&hub->endings);
	uint64_t now = monotonic_us();
	int ms = 60000;

	if (!hub->timers)
		return most_ms;
	if (hub->timers->due_us <= now)
		return 0;
	if (hub->timers->due_us - now < 60000000)
		ms = (int)((hub->timers->due_us - now + 999) / 1000);
	return most_ms >= 0 && most_ms < ms ? most_ms : ms;
}

struct endings *hub_endings(struct hub *hub)
{
	return &hub->endings;
}

/* A timer that is set meanwhile rings in the next turn: descriptors have theirs in between. */
static void hub_ring_due(struct hub *hub)
{
	hub->rings_us = monotonic_us();
	while (hub->timers && hub->timers->due_us <= hub->rings_us) {
		struct hub_timer *t = hub->timers;

		hub_silence(hub, t);
		t->ring(t->context);
	}
	hub->rings_us = 0;
}

static void hub_serve_lone(struct hub *hub)
{
	const int most_ms = hub_patience_ms(hub);
	struct pollfd also[LOOP_ALSO] = {0};
	struct loop loop = loop_none();
	uint64_t due_us = most_ms < 0 ? LOOP_NEVER : monotonic_us() + (uint64_t)most_ms * 1000;

	if (hub->lone)
		loop_follow(&loop, hub->lone->loop, due_us);
	else
		loop_arrange(&loop, NULL, 0, due_us);
	for (unsigned i = 0; i < LOOP_ALSO; i++)
		also[i] = (struct pollfd){hub->few[i].watch ? hub->few[i].watch->fd : -1,
					  hub->few[i].events, 0};
	loop_wait_also(&loop, also, LOOP_ALSO);
	loop_collect(&loop);
	for (unsigned i = 0; i < LOOP_ALSO; i++) {
		struct hub_watch *w = hub->few[i].watch;

		if (w && w->fd == also[i].fd && also[i].revents)
			w->ready(w->context, (uint32_t)also[i].revents);
	}
	if (hub->lone)
		hub_step(hub->lone, 0);
}

static void hub_serve(struct hub *hub)
{
	int count = epoll_set_wait(hub->fd, hub->events, BATCH, hub_patience_ms(hub));

	hub->count = count < 0 ? 0 : count;
	for (int i = 0; i < hub->count; i++) {
		struct hub_watch *w = hub->events[i].data.ptr;

		if (w)
			w->ready(w->context, hub->events[i].events);
	}
	hub->count = 0;
}

void hub_turn(struct hub *hub)
{
	if (hub->fd < 0)
		hub_serve_lone(hub);
	else
		hub_serve(hub);
	endings_look(&hub->endings);
	hub_ring_due(hub);
}
