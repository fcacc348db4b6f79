/*
 * epoll_set - epoll(7) that keeps working when the kernel refuses another watch.
 */
#include "loop/epoll_set.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/clock.h"

#define BATCH 64 /* descriptors that one check polls */

struct refused {
	int set;
	int fd;
	struct epoll_event event;
	uint64_t looked_us; /* monotonic */
};

/* The refused watches of all sets; the one not checked for the longest time is first. */
static struct refused *refused;
static unsigned refused_count;
static unsigned refused_capacity;

/* Bypasses libc's function, which glovebox-serve replaces (web/http_epoll.c). */
static int epoll_set_ask(int set, int operation, int fd, struct epoll_event *event)
{
	return (int)syscall(SYS_epoll_ctl, set, operation, fd, event);
}

static struct refused *epoll_set_find(int set, int fd)
{
	for (unsigned i = 0; i < refused_count; i++) {
		if (refused[i].set == set && refused[i].fd == fd)
			return &refused[i];
	}
	return NULL;
}

static void epoll_set_drop(struct refused *r)
{
	const size_t after = (size_t)(refused + refused_count - (r + 1));

	memmove(r, r + 1, after * sizeof(*r));
	if (--refused_count)
		return;
	free(refused);
	refused = NULL;
	refused_capacity = 0;
}

static void epoll_set_remember(const struct refused *r)
{
	if (refused_count == refused_capacity) {
		refused_capacity = refused_capacity ? 2 * refused_capacity : 16;
		refused = own_resize(refused, refused_capacity, sizeof(*refused));
	}
	refused[refused_count++] = *r;
}

int epoll_set_control(int set, int operation, int fd, struct epoll_event *event)
{
	struct refused *known = epoll_set_find(set, fd);

	if (known && operation == EPOLL_CTL_MOD) {
		known->event = *event;
		return 0;
	}
	if (known) /* to add it, after its number was closed and reused for another file */
		epoll_set_drop(known);
	if (known && operation == EPOLL_CTL_DEL)
		return 0;
	if (!epoll_set_ask(set, operation, fd, event))
		return 0;
	if (operation != EPOLL_CTL_ADD || (errno != ENOSPC && errno != ENOMEM))
		return -1;
	epoll_set_remember(&(struct refused){.set = set, .fd = fd, .event = *event});
	return 0;
}

bool epoll_set_is_short(int set)
{
	for (unsigned i = 0; i < refused_count; i++) {
		if (refused[i].set == set)
			return true;
	}
	return false;
}

bool epoll_set_lacks(int set, int fd)
{
	return epoll_set_find(set, fd) != NULL;
}

void epoll_set_forget(int set)
{
	for (unsigned i = refused_count; i-- > 0;) {
		if (refused[i].set == set)
			epoll_set_drop(&refused[i]);
	}
}

/* Add as many watches as the kernel accepts now; it reports them from then on. */
static void epoll_set_try_again(int set)
{
	for (unsigned i = 0; i < refused_count;) {
		if (refused[i].set != set) {
			i++;
			continue;
		}
		if (epoll_set_ask(set, EPOLL_CTL_ADD, refused[i].fd, &refused[i].event) &&
		    (errno == ENOSPC || errno == ENOMEM))
			return;
		epoll_set_drop(&refused[i]); /* the kernel has it now, or its file is closed */
	}
}

/* Take at most @most due watches, and move them to the end of the list. */
static unsigned epoll_set_take_due(int set, struct refused *out, unsigned most)
{
	const uint64_t now = monotonic_us();
	unsigned count = 0;

	for (unsigned i = 0, left = refused_count; left-- > 0 && count < most;) {
		if (refused[i].set != set || now - refused[i].looked_us < EPOLL_SET_LOOK_US) {
			i++;
			continue;
		}
		out[count] = refused[i];
		out[count].looked_us = now;
		epoll_set_drop(&refused[i]);
		epoll_set_remember(&out[count++]);
	}
	return count;
}

/*
 * Check each at most once in EPOLL_SET_LOOK_US: a caller may wait repeatedly until nothing is
 * ready, but a writable descriptor is always ready.
 */
static int epoll_set_look(int set, struct epoll_event *events, int most)
{
	struct refused due[BATCH];
	struct pollfd asked[BATCH];
	unsigned count;
	int ready = 0;

	if (!epoll_set_is_short(set) || most <= 0)
		return 0;
	epoll_set_try_again(set);
	count = epoll_set_take_due(set, due, most < BATCH ? (unsigned)most : BATCH);
	for (unsigned i = 0; i < count; i++)
		asked[i] = (struct pollfd){due[i].fd, (short)(due[i].event.events & 0xffff), 0};
	if (!count || poll(asked, count, 0) <= 0)
		return 0;
	for (unsigned i = 0; i < count; i++) {
		const uint32_t found = (uint32_t)(asked[i].revents & ~POLLNVAL);

		if (found)
			events[ready++] =
				(struct epoll_event){.events = found, .data = due[i].event.data};
	}
	return ready;
}

int epoll_set_wait(int set, struct epoll_event *events, int most, int timeout_ms)
{
	const int look_ms = EPOLL_SET_LOOK_US / 1000;
	int count;

	if (epoll_set_is_short(set) && (timeout_ms < 0 || timeout_ms > look_ms))
		timeout_ms = look_ms;
	count = (int)syscall(SYS_epoll_pwait, set, events, most, timeout_ms, NULL, 0);
	return count < 0 ? count : count + epoll_set_look(set, events + count, most - count);
}
