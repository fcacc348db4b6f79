/*
 * fd - check or wait for the readiness of descriptors.
 */
#include "loop/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/own.h"
#include "loop/clock.h"
#include "loop/loop.h"

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

bool fd_await_any(struct pollfd *fds, unsigned count, uint64_t end_us)
{
	struct loop l = loop_none();
	bool is_one = false;

	loop_arrange(&l, fds, count, end_us);
	loop_wait(&l, -1);
	for (unsigned i = 0; i < count; i++) {
		if (!l.has_looked)
			fds[i].revents = 0;
		is_one = is_one || fds[i].revents;
	}
	return is_one;
}

bool fd_is_ready(int fd, short events)
{
	return fd_await(fd, events, 0);
}

bool fd_has_room(int like, unsigned count)
{
	auto_fd int more = count ? fcntl(like, F_DUPFD_CLOEXEC, 3) : -1;

	return !count || (more >= 0 && fd_has_room(like, count - 1));
}

bool fd_is_pidfd(int fd)
{
	siginfo_t unused;

	/*
	 * Other descriptors return EBADF; only a pidfd of a process that is not our child returns
	 * ECHILD.
	 */
	return !waitid(P_PIDFD, (id_t)fd, &unused, WEXITED | WNOHANG | WNOWAIT) || errno == ECHILD;
}

uint64_t fd_raise_limit(void)
{
	struct rlimit limit = {0};

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

bool fd_is_named(int fd, int dir, const char *name)
{
	struct stat ours;
	struct stat named;

	return !fstat(fd, &ours) && !fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) &&
	       named.st_ino == ours.st_ino && named.st_dev == ours.st_dev;
}
