/*
 * loop - wait for many descriptors and a deadline through one descriptor.
 *
 * Each turn arms every descriptor anew, to report once (EPOLLONESHOT), with the number of the turn.
 * epoll(7) knows files, not descriptors: a file that was closed here lives on while another process
 * holds it, and its number may belong to another file by now. So we ignore reports of earlier
 * turns.
 */
#include "loop/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/clock.h"
#include "loop/epoll_set.h"

#define TIMER    UINT32_MAX /* in place of a descriptor */
#define NOW      1          /* microsecond since boot: long ago */
#define RANG     0          /* the timer has expired and must be set again */
#define PAUSE_US 10000      /* before another poll(2), after a failed one */

struct loop loop_none(void)
{
	return (struct loop){.fd = -1, .timer = -1, .next_us = LOOP_NEVER, .rings_us = LOOP_NEVER};
}

void loop_close(struct loop *l)
{
	if (l->fd >= 0)
		epoll_set_forget(l->fd);
	own_close(&l->fd);
	own_close(&l->timer);
}

/* -- by one descriptor ----------------------------------------------------------------------- */

static void loop_set_timer(struct loop *l, uint64_t at_us)
{
	struct itimerspec when = {
		{0, 0},
                {0, 0}
        };

	if (at_us < NOW)
		at_us = NOW;
	if (at_us == l->rings_us)
		return;
	if (at_us != LOOP_NEVER) {
		when.it_value.tv_sec = (time_t)(at_us / 1000000);
		when.it_value.tv_nsec = (long)(at_us % 1000000) * 1000;
	}
	timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &when, NULL);
	l->rings_us = at_us;
}

/* Returns -1 if epoll does not accept it; errno says why. */
static int loop_arm(const struct loop *l, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events | EPOLLONESHOT,
				    .data.u64 = (uint64_t)l->turn << 32 | (uint32_t)fd};

	return epoll_set_control(l->fd, EPOLL_CTL_MOD, fd, &event) &&
			       epoll_set_control(l->fd, EPOLL_CTL_ADD, fd, &event)
		       ? -1
		       : 0;
}

/* All events that any entry awaits on this descriptor. */
static uint32_t loop_wanted(const struct pollfd *fds, unsigned count, int fd)
{
	uint32_t events = 0;

	for (unsigned i = 0; i < count; i++) {
		if (fds[i].fd == fd)
			events |= (uint32_t)fds[i].events;
	}
	return events;
}

static bool loop_is_among(const struct pollfd *fds, unsigned count, int fd)
{
	for (unsigned i = 0; i < count; i++) {
		if (fds[i].fd == fd)
			return true;
	}
	return false;
}

static void loop_arm_all(struct loop *l)
{
	uint64_t next_us = l->next_us;

	if (l->count > LOOP_MAX)
		abort();
	l->turn++;
	for (unsigned i = 0; i < l->armed_count; i++) {
		if (!loop_is_among(l->fds, l->count, l->armed[i]))
			epoll_set_control(l->fd, EPOLL_CTL_DEL, l->armed[i], NULL);
	}
	l->armed_count = 0;
	for (unsigned i = 0; i < l->count; i++) {
		uint32_t events;

		if (l->fds[i].fd < 0 || loop_is_among(l->fds, i, l->fds[i].fd))
			continue;
		events = loop_wanted(l->fds, l->count, l->fds[i].fd);
		l->armed[l->armed_count] = l->fds[i].fd;
		l->is_refused[l->armed_count] = loop_arm(l, l->fds[i].fd, events);
		/* A regular file is always ready, and a bad descriptor fails when it is used. */
		if (l->is_refused[l->armed_count++] && events)
			next_us = NOW;
	}
	if (epoll_set_is_short(l->fd))
		next_us = clock_earlier(next_us, monotonic_us() + EPOLL_SET_LOOK_US);
	loop_set_timer(l, next_us);
}

/* Report to each entry the events it awaits, and those that are always reported. */
static void loop_report(struct loop *l, int fd, uint32_t events)
{
	struct pollfd *fds = l->fds;

	for (unsigned i = 0; i < l->count; i++) {
		if (fds[i].fd == fd)
			fds[i].revents =
				(short)(events & ((uint32_t)fds[i].events | EPOLLERR | EPOLLHUP));
	}
}

static void loop_look(struct loop *l)
{
	for (unsigned i = 0; i < l->armed_count; i++) {
		struct pollfd now = {l->armed[i], POLLIN | POLLOUT, 0};

		if (l->is_refused[i] && poll(&now, 1, 0) > 0)
			loop_report(l, now.fd,
				    now.revents & POLLNVAL ? EPOLLIN | EPOLLOUT
							   : (uint32_t)now.revents);
	}
}

static void loop_gather(struct loop *l)
{
	struct epoll_event events[LOOP_MAX + 1];
	int ready = epoll_set_wait(l->fd, events, LOOP_MAX + 1, 0);

	for (unsigned i = 0; i < l->count; i++)
		l->fds[i].revents = 0;
	for (int i = 0; i < ready; i++) {
		uint64_t what = events[i].data.u64;

		if (what == TIMER)
			l->rings_us = RANG;
		else if (what >> 32 == l->turn)
			loop_report(l, (int)(uint32_t)what, events[i].events);
	}
	loop_look(l);
}

int loop_fd(struct loop *l, struct err *e)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = TIMER};

	if (l->fd >= 0)
		return l->fd;
	l->fd = epoll_create1(EPOLL_CLOEXEC);
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->fd < 0 || l->timer < 0 ||
	    epoll_set_control(l->fd, EPOLL_CTL_ADD, l->timer, &event)) {
		err_sys(e, "make an event loop");
		loop_close(l);
		return -1;
	}
	loop_arm_all(l);
	return l->fd;
}

bool loop_is_blind(const struct loop *l)
{
	return l->fd >= 0 && epoll_set_lacks(l->fd, l->timer);
}

/* -- the loop -------------------------------------------------------------------------------- */

void loop_arrange(struct loop *l, struct pollfd *fds, unsigned count, uint64_t next_us)
{
	l->fds = fds;
	l->count = count;
	l->next_us = next_us;
	l->has_looked = false;
	l->followed = NULL;
	if (l->fd >= 0)
		loop_arm_all(l);
}

void loop_follow(struct loop *l, struct loop *other, uint64_t next_us)
{
	loop_arrange(l, other->fds, other->count, clock_earlier(other->next_us, next_us));
	l->followed = other;
}

void loop_collect(struct loop *l)
{
	if (l->fd >= 0)
		loop_gather(l);
	else if (!l->has_looked && l->count)
		poll(l->fds, l->count, 0);
	l->has_looked = false;
	if (l->followed)
		l->followed->has_looked = true;
}

static int loop_timeout_ms(const struct loop *l)
{
	uint64_t now_us = monotonic_us();

	if (l->next_us == LOOP_NEVER)
		return -1;
	if (l->next_us <= now_us)
		return 0;
	return l->next_us - now_us > 1000000000ull ? 1000000
						   : (int)((l->next_us - now_us + 999) / 1000);
}

/* Skip copying if there is nothing else to wait for: then any number of entries is allowed, too. */
static int loop_poll(const struct loop *l, struct pollfd *also, unsigned count)
{
	struct pollfd by_one = {l->fd, POLLIN, 0};
	struct pollfd *own = l->fd >= 0 ? &by_one : l->fds;
	const unsigned own_count = l->fd >= 0 ? 1 : l->count;
	const int timeout_ms = l->fd >= 0 ? -1 : loop_timeout_ms(l);
	struct pollfd all[LOOP_MAX + LOOP_ALSO] = {0};
	int ready;

	if (!count)
		return poll(own, own_count, timeout_ms);
	if (own_count > LOOP_MAX || count > LOOP_ALSO)
		abort();
	for (unsigned i = 0; i < own_count; i++)
		all[i] = own[i];
	memcpy(all + own_count, also, count * sizeof(*also));
	ready = poll(all, own_count + count, timeout_ms);
	for (unsigned i = 0; i < own_count; i++)
		own[i].revents = all[i].revents;
	for (unsigned i = 0; i < count; i++)
		also[i].revents = all[own_count + i].revents;
	return ready;
}

bool loop_wait_also(struct loop *l, struct pollfd *also, unsigned count)
{
	const int ready = loop_poll(l, also, count);
	bool is_one = false;

	/*
	 * After a signal the next step finds nothing to do; without kernel memory, repeating at
	 * once would not help: pause.
	 */
	if (ready < 0 && errno != EINTR)
		clock_pause_us(PAUSE_US);
	l->has_looked = ready >= 0 && l->fd < 0;
	for (unsigned i = 0; i < count; i++) {
		if (ready <= 0)
			also[i].revents = 0;
		is_one = is_one || also[i].revents;
	}
	return is_one;
}

bool loop_wait(struct loop *l, int also)
{
	struct pollfd one = {also, POLLIN, 0};

	return loop_wait_also(l, &one, also >= 0);
}
