/*
 * loop - wait for many descriptors and a deadline through one descriptor.
 *
 * An operation (a run, a call) is a state machine with a loop of its own. When a step is due, its
 * driver calls the step function, which never waits:
 *
 *     loop_collect()   which of the descriptors are ready
 *     ...              act on it
 *     loop_arrange()   what to wait for next, and until when
 *
 * A driver of many operations waits for their loop_fd()s with epoll(7), poll(2) or another
 * library's loop. A driver of one calls loop_wait(), which needs no descriptor and is as cheap as
 * poll(2). An operation that performs others one after the other waits for the current one's loop:
 * loop_follow().
 *
 * Touches the OS. Runs: anywhere; one thread for each loop.
 */
#ifndef GLOVEBOX_LOOP_LOOP_H
#define GLOVEBOX_LOOP_LOOP_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define LOOP_MAX   16 /* descriptors in a loop that has a descriptor of its own */
#define LOOP_ALSO  4
#define LOOP_NEVER UINT64_MAX /* no deadline */

struct loop {
	struct pollfd *fds; /* borrowed: the awaited descriptors */
	unsigned count;
	uint64_t next_us;
	bool has_looked;       /* loop_wait() has filled in the revents */
	struct loop *followed; /* borrowed; NULL */
	/* the rest is set only after loop_fd() */
	int fd;    /* owned; -1 */
	int timer; /* owned; -1 */
	uint32_t turn;
	uint64_t rings_us; /* the timer's setting */
	int armed[LOOP_MAX];
	bool is_refused[LOOP_MAX]; /* epoll refused it: checked by poll(2) */
	unsigned armed_count;
};

/* A loop that waits for nothing; end it with loop_close(). */
struct loop loop_none(void);
void loop_close(struct loop *l);

/*
 * loop_arrange - wait for these from now on, and for nothing else.
 *
 * @fds      as for poll(2); at most LOOP_MAX if loop_fd() or an `also` is used. Negative ones are
 *           skipped; duplicates are allowed. Borrowed until the next call; the files may be closed
 *           before that.
 * @next_us  monotonic: a step is due then in any case; or LOOP_NEVER.
 */
void loop_arrange(struct loop *l, struct pollfd *fds, unsigned count, uint64_t next_us);

/*
 * loop_follow - from now on wait for what another loop awaits, until @next_us at most.
 *
 * @other  borrowed until the next call. Its loop_fd() is not used, and it is not rearranged before
 *         loop_collect(), which fills in its revents, too.
 */
void loop_follow(struct loop *l, struct loop *other, uint64_t next_us);

/*
 * loop_collect - fill in the revents of the arranged descriptors, and of a followed loop. Every
 * step calls it first. Never waits.
 */
void loop_collect(struct loop *l);

/*
 * loop_fd - a descriptor that is readable when a step is due; the same one at each call. -1:
 * ERR_SYSTEM: out of descriptors.
 */
int loop_fd(struct loop *l, struct err *e);

/*
 * loop_is_blind - the kernel refuses to report when a step is due (loop/epoll_set.h): the driver
 * takes a step every EPOLL_SET_LOOK_US, whether loop_fd() is readable or not.
 */
bool loop_is_blind(const struct loop *l);

/*
 * loop_wait - wait until a step is due, or @also is readable (-1: none). Returns whether @also is.
 */
bool loop_wait(struct loop *l, int also);

/* The same with several, at most LOOP_ALSO; fills in their revents. */
bool loop_wait_also(struct loop *l, struct pollfd *also, unsigned count);

#endif
