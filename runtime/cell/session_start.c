/*
 * session_start - begin a session in a warm cell.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/message.h"
#include "base/own.h"
#include "cell/lease.h"
#include "cell/session.h"
#include "host/spawn.h"

#define PROGRAM   "glovebox-session" /* see rootfs/guest/program.py */
#define START_MAX 20000              /* ms until a new session answers */

/* What comes over the control socket when the root is built. */
static int await_root(struct session *session, const struct child *child, struct err *e)
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

/* Which file systems are its own: checkpoints have their files, and no others'. */
static int tell_places(const struct sandbox *s, struct session *session, struct err *e)
{
	struct session_call call = {.timeout_ms = START_MAX, .answer_max = 4096, .signal_fd = -1};
	auto_buf struct buf members = {0};
	const char *between = "";
	int bad;

	buf_text(&members, "\"op\":\"places\",\"paths\":[");
	for (size_t i = 0; i < s->plan.op_count; i++) {
		const struct root_op *op = &s->plan.ops[i];

		if (op->kind != ROOT_TMPFS || !op->landlock_write)
			continue;
		buf_text(&members, between);
		buf_json_text(&members, op->path - 1); /* the slash is in front of it */
		between = ",";
	}
	buf_text(&members, "]");
	bad = session_ask(session, session->fds[SESSION_CHANNEL], members.data, members.length,
			  &call, e);
	buf_fini(&call.answer);
	return bad;
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
	out->memory_bytes = s->spec->limits.memory_bytes;
	if (await_root(out, &child, e))
		return -1;
	session_take_group(out, &s->cgroup);
	return tell_places(s, out, e);
}

int session_start(struct sandbox *s, struct session *out, struct err *e)
{
	auto_fd int theirs = -1;
	struct lease lease = lease_none();
	const char *reason = NULL;
	int found;

	*out = session_none();
	found = lease_take(s, LEASE_SESSION, &lease, &reason, e);
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
	if (message_pair_down(&out->fds[SESSION_CHANNEL], &theirs)) {
		err_sys(e, "make the session's socket");
		goto fail;
	}
	if (!begin(s, out, theirs, e))
		return 0;
fail:
	lease_drop(&lease);
	session_close(out);
	return -1;
}
