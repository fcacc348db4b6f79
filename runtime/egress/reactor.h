/*
 * reactor - call the watcher of each ready descriptor, and keep the time.
 *
 * loop/loop waits for few descriptors of one operation. This process has thousands, few of them
 * ready at a time, so it uses epoll(7).
 *
 * Touches the OS. Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_REACTOR_H
#define GLOVEBOX_EGRESS_REACTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct watch;

/* @events: EPOLLIN, EPOLLOUT; EPOLLERR and EPOLLHUP are always reported. */
typedef void (*watch_ready)(struct watch *w, uint32_t events);

/* One descriptor, embedded in its watcher. All zero but `fd` = -1: it waits for nothing. */
struct watch {
	int fd; /* borrowed; -1 */
	uint32_t events;
	watch_ready ready;
};

struct reactor {
	int epoll; /* owned */
	uint64_t now_ms;
};

/* Errors: ERR_SYSTEM. */
int reactor_open(struct reactor *r, struct err *e);

/* Wait for these events from now on; 0: for nothing, not even EPOLLHUP. */
int reactor_watch(struct reactor *r, struct watch *w, int fd, uint32_t events);

/* Call it before closing the descriptor. No call follows; w->fd is -1. */
void reactor_forget(struct reactor *r, struct watch *w);

/*
 * reactor_turn - wait until something is ready, at most @wait_ms, and make the calls. A callback
 * must not free other watchers before the turn is over.
 */
void reactor_turn(struct reactor *r, int wait_ms);

#endif
