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

/* Whether it is of a process, living or not: pidfd_open(2). */
bool fd_is_pidfd(int fd);

#endif
