/*
 * session_start - begin a session in a warm cell.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "cell/frame.h"
#include "cell/lease.h"
#include "cell/session.h"
#include "host/spawn.h"

#define PROGRAM   "glovebox-session" /* see rootfs/guest/program.py */
#define START_MAX 20000              /* ms until a new session answers */

/* The descriptor of /workspace comes over the control socket once the root is built. */
static int await_workspace(struct session *session, const struct child *child, struct err *e)
{
	struct pollfd fds[] = {
		{child->control, POLLIN, 0},
                {child->pidfd,   POLLIN, 0}
        };
	struct report r;
	int fd;

	for (;;) {
		if (poll(fds, 2, START_MAX) <= 0)
			return err_set(e, ERR_SYSTEM, "the new session does not start");
		while (child_receive(child, &r, &fd)) {
			if (r.kind == REPORT_FD_STAGE)
				session->fds[SESSION_WORKSPACE] = take_fd(&fd);
			own_close(&fd);
			if (r.kind == REPORT_FD_STAGE)
				return 0;
			if (r.kind == REPORT_ERROR) {
				*e = r.error;
				return -1;
			}
		}
		if (fds[1].revents)
			return err_set(e, ERR_SYSTEM, "the new session has ended");
	}
}

/* The interpreter's first frame has id 0: it waits for requests. */
static int await_hello(struct session *session, struct err *e)
{
	struct pollfd fd = {session->fds[SESSION_CHANNEL], POLLIN, 0};
	auto_frame struct frame frame = {0};
	char bytes[256];
	size_t used;
	ssize_t n;
	int done = 0;

	while (!done) {
		if (poll(&fd, 1, START_MAX) <= 0)
			return err_set(e, ERR_SYSTEM, "the new session does not answer");
		n = recv(fd.fd, bytes, sizeof(bytes), 0);
		if (n <= 0)
			return err_set(e, ERR_SYSTEM, "the new session has ended");
		done = frame_add(&frame, bytes, (size_t)n, sizeof(bytes), &used, e);
		if (done < 0)
			return -1;
	}
	return 0;
}

static int begin(struct sandbox *s, struct session *out, int channel, struct err *e)
{
	static char name[] = PROGRAM;
	char *argv[] = {name, NULL};
	struct child child;

	s->plan.argv = argv;
	s->plan.channel_fd = channel;
	if (s->start(s, &child, e))
		return -1;
	out->fds[SESSION_PIDFD] = child.pidfd;
	out->fds[SESSION_CONTROL] = child.control;
	out->fds[SESSION_STDOUT] = child.output[0];
	out->fds[SESSION_STDERR] = child.output[1];
	out->host_uid = s->map.host_uid;
	out->host_gid = s->map.host_gid;
	if (await_workspace(out, &child, e))
		return -1;
	snprintf(out->group, sizeof(out->group), "%.79s", s->cgroup.name);
	for (unsigned i = 0; i < s->cgroup.count; i++)
		out->groups[out->group_count++] = dup(s->cgroup.dirs[i]);
	cgroup_forget(&s->cgroup);
	return await_hello(out, e);
}

int session_start(struct sandbox *s, struct session *out, struct err *e)
{
	auto_fd int theirs = -1;
	struct lease lease = lease_none();
	const char *reason = NULL;
	int pair[2];
	int found;

	*out = session_none();
	found = lease_take(s, true, &lease, &reason, e);
	if (found > 0) {
		struct err copy = {0};

		err_set(&copy, ERR_UNSUPPORTED, "a session needs a warm cell: %s", reason);
		*e = copy;
	}
	if (found)
		return -1;
	if (sandbox_plan(s, e))
		goto fail;
	reason = lease_check(s, &lease);
	if (reason) {
		err_set(e, ERR_UNSUPPORTED, "a session needs a warm cell: %s", reason);
		goto fail;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		err_sys(e, "make the session's socket");
		goto fail;
	}
	out->fds[SESSION_CHANNEL] = pair[0];
	theirs = pair[1];
	if (!begin(s, out, theirs, e))
		return 0;
fail:
	lease_drop(&lease);
	session_close(out);
	return -1;
}
