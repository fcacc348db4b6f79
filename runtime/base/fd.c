/*
 * fd - what descriptors have, now or until a moment.
 */
#include "base/fd.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/loop.h"

void fd_look(struct pollfd *fds, unsigned count)
{
	struct loop l = loop_none();

	loop_arrange(&l, fds, count, LOOP_NEVER);
	loop_collect(&l);
}

bool fd_await(int fd, short events, uint64_t end_us)
{
	struct pollfd p = {fd, events, 0};
	struct loop l = loop_none();

	do {
		loop_arrange(&l, &p, 1, end_us);
		loop_wait(&l, -1);
	} while (!(l.has_looked && p.revents) && monotonic_us() < end_us);
	return l.has_looked && p.revents;
}

bool fd_is_ready(int fd, short events)
{
	return fd_await(fd, events, 0);
}

bool fd_is_pidfd(int fd)
{
	siginfo_t unused;

	/* Of nothing else the kernel says that it is no child of ours (EBADF). */
	return !waitid(P_PIDFD, (id_t)fd, &unused, WEXITED | WNOHANG | WNOWAIT) || errno == ECHILD;
}
