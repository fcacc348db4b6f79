/*
 * loop - wait for many descriptors and a moment in time through one descriptor.
 *
 * What takes a while (a run, a call) is an operation: a state machine with a loop of its own. When
 * it has something to do, its driver calls its step function, which never waits:
 *
 *     loop_collect()   which of the descriptors are ready
 *     ...              act on it
 *     loop_arrange()   what to wait for next, and until when
 *
 * A driver of many operations waits for their loop_fd()s with epoll(7), poll(2) or another
 * library's loop. A driver of one calls loop_wait(), which needs no descriptor and is as cheap as
 * poll(2). An operation that consists of others, one after the other, waits for the present one's
 * loop: loop_follow().
 *
 * Touches the OS. Runs: anywhere; one thread for each loop.
 */
#ifndef GLOVEBOX_BASE_LOOP_H
#define GLOVEBOX_BASE_LOOP_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define LOOP_MAX   16 /* descriptors in a loop that has one of its own */
#define LOOP_ALSO  4
#define LOOP_NEVER UINT64_MAX /* no deadline */

struct loop {
	struct pollfd *fds; /* borrowed: what it waits for */
	unsigned count;
	uint64_t next_us;
	bool has_looked;       /* loop_wait() has filled in what is ready */
	struct loop *followed; /* borrowed; NULL */
	/* from here on: only if loop_fd() was called */
	int fd;    /* owned; -1 */
	int timer; /* owned; -1 */
	uint32_t turn;
	uint64_t rings_us; /* the timer's setting */
	int armed[LOOP_MAX];
	bool is_refused[LOOP_MAX]; /* epoll refused it: asked with poll(2) */
	unsigned armed_count;
};

/* It waits for nothing; end it with loop_close(). */
struct loop loop_none(void);
void loop_close(struct loop *l);

/*
 * loop_arrange - wait for these from now on, and for nothing else.
 *
 * @fds      as for poll(2); at most LOOP_MAX if loop_fd() or an `also` is used.
 *           Negative ones are skipped; one may be listed twice. Borrowed until the next call; the
 *           files may be closed before that.
 * @next_us  monotonic: a step is due then in any case; or LOOP_NEVER.
 */
void loop_arrange(struct loop *l, struct pollfd *fds, unsigned count, uint64_t next_us);

/*
 * loop_follow - from now on, wait for what another loop waits for, until @next_us at most.
 *
 * @other  borrowed until the next call. Its loop_fd() is not used, and it is not arranged anew
 *         before loop_collect(), which fills in what is ready there, too.
 */
void loop_follow(struct loop *l, struct loop *other, uint64_t next_us);

/*
 * loop_collect - fill in the revents of what was arranged, and of a loop that is followed.
 * The first thing that a step does. Never waits.
 */
void loop_collect(struct loop *l);

/*
 * loop_fd - readable when a step is due; the same descriptor at each call. -1: ERR_SYSTEM, no
 * descriptor is left.
 */
int loop_fd(struct loop *l, struct err *e);

/*
 * loop_is_blind - the kernel has no room to tell when a step is due (base/epoll_set.h): the driver
 * takes a step every EPOLL_SET_LOOK_US, whether loop_fd() is readable or not.
 */
bool loop_is_blind(const struct loop *l);

/* loop_wait - until a step is due, or @also is readable (-1: none). Returns whether @also is. */
bool loop_wait(struct loop *l, int also);

/* The same with several, LOOP_ALSO at most, whose revents are filled in. */
bool loop_wait_also(struct loop *l, struct pollfd *also, unsigned count);

#endif
