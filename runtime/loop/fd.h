/*
 * fd - check or wait for the readiness of descriptors, without a loop.
 *
 * Touches the OS.
 */
#ifndef GLOVEBOX_LOOP_FD_H
#define GLOVEBOX_LOOP_FD_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* Fill in the revents of descriptors, like poll(2) with a timeout of 0. */
void fd_look(struct pollfd *fds, unsigned count);

/*
 * fd_is_ready(): whether poll(2) reports @events, an error or a hang-up for a descriptor;
 * fd_await() waits for that until a deadline.
 */
bool fd_is_ready(int fd, short events);
bool fd_await(int fd, short events, uint64_t end_us);

/*
 * fd_await_any - wait until a descriptor is ready, until the deadline, or until a signal, and fill
 * in their revents. Negative ones are skipped. Returns whether one is ready.
 * @end_us  monotonic; LOOP_NEVER: no deadline.
 */
bool fd_await_any(struct pollfd *fds, unsigned count, uint64_t end_us);

/*
 * fd_has_room - whether this many more descriptors can be opened now: for callers that cannot undo
 * their work later.
 * @like  any open one. If not, errno says why.
 */
bool fd_has_room(int like, unsigned count);

/* Raise our limit of descriptors to the hard limit; returns it. */
uint64_t fd_raise_limit(void);

/* Whether a name in a directory leads to this open file. Does not follow a link. */
bool fd_is_named(int fd, int dir, const char *name);

/* Whether it is a pidfd, of a living or dead process: pidfd_open(2). */
bool fd_is_pidfd(int fd);

#endif
