/*
 * fd - what descriptors have, now or until a moment: for who needs no loop.
 *
 * Touches the OS.
 */
#ifndef GLOVEBOX_BASE_FD_H
#define GLOVEBOX_BASE_FD_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* Fill in the revents of descriptors, as poll(2) does that does not wait. */
void fd_look(struct pollfd *fds, unsigned count);

/* Whether one descriptor has what poll(2) calls @events, an error or an end; fd_await() waits for
 * that until a moment. */
bool fd_is_ready(int fd, short events);
bool fd_await(int fd, short events, uint64_t end_us);

/*
 * fd_await_any - wait until one of them is ready, until a moment, or until a signal has come, and
 * fill in their revents. Negative ones are skipped. Returns whether one is ready.
 * @end_us  monotonic; LOOP_NEVER: no end.
 */
bool fd_await_any(struct pollfd *fds, unsigned count, uint64_t end_us);

/*
 * fd_has_room - whether so many more descriptors can be opened now: for who cannot go back later.
 * @like  any that is open. If not, errno says why.
 */
bool fd_has_room(int like, unsigned count);

/* Let this process have as many as it may; returns how many that are. */
uint64_t fd_raise_limit(void);

/* Whether it is of a process, living or not: pidfd_open(2). */
bool fd_is_pidfd(int fd);

#endif
