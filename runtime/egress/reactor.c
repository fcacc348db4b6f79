/*
 * reactor - call the watcher of each ready descriptor, and keep the time.
 */
#include "egress/reactor.h"

#include "loop/clock.h"
#include "loop/epoll_set.h"

#define REACTOR_BATCH 64

int reactor_open(struct reactor *r, struct err *e)
{
	r->now_ms = monotonic_ms();
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	return r->epoll < 0 ? err_sys(e, "make an epoll descriptor") : 0;
}

/* Remove a watch without events: epoll would go on reporting EPOLLHUP, which it does not handle. */
int reactor_watch(struct reactor *r, struct watch *w, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = w};
	int done = 0;

	if (w->fd == fd && w->events == events)
		return 0;
	if (events)
		done = epoll_set_control(r->epoll,
					 w->fd == fd && w->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
					 fd, &event);
	else if (w->fd == fd && w->events)
		done = epoll_set_control(r->epoll, EPOLL_CTL_DEL, fd, &event);
	w->fd = fd;
	w->events = done ? 0 : events;
	return done;
}

void reactor_forget(struct reactor *r, struct watch *w)
{
	struct epoll_event event = {0};

	if (w->fd >= 0 && w->events)
		epoll_set_control(r->epoll, EPOLL_CTL_DEL, w->fd, &event);
	w->fd = -1;
	w->events = 0;
}

void reactor_turn(struct reactor *r, int wait_ms)
{
	struct epoll_event events[REACTOR_BATCH];
	int count = epoll_set_wait(r->epoll, events, REACTOR_BATCH, wait_ms);

	r->now_ms = monotonic_ms();
	for (int i = 0; i < count; i++) {
		struct watch *w = events[i].data.ptr;

		if (w->fd >= 0 && w->events)
			w->ready(w, events[i].events);
	}
}
