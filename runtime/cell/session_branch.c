/*
 * session_branch - copies of a session that go on independently, each in a sandbox of its own.
 */
#include "cell/session_branch.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/message.h"
#include "base/own.h"
#include "cell/branch_making.h"
#include "cell/frame.h"
#include "cell/hello.h"
#include "host/omit.h"
#include "host/spawn.h"

#define WAIT_MS 20000 /* for a copy */

/* -- places, while the session stands still ------------------------------------------------- */

static int make_places(const struct session *parent, int connection, struct making *all,
		       unsigned count, struct err *e)
{
	struct err unsaid;
	int bad = 0;

	if (!host_omits("branch-freeze") &&
	    cgroup_freeze(parent->group, parent->groups, parent->group_count, e))
		return err_prefix(e, "to branch, a session is frozen");
	for (unsigned i = 0; i < count && !bad; i++)
		bad = making_request(&all[i], parent, connection, e);
	for (unsigned i = 0; i < count && !bad; i++)
		bad = making_await(&all[i], e);
	if (cgroup_thaw(parent->group, parent->groups, parent->group_count, bad ? &unsaid : e))
		return -1;
	return bad ? -1 : 0;
}

/* -- the copy moves in ---------------------------------------------------------------------- */

/* Ask the worker for a copy of itself; descriptors in the order of rootfs/guest/session.py. */
static int ask_for_copy(struct session *parent, struct making *m, bool *lost, struct err *e)
{
	const struct idmap map = {.privileged = geteuid() == 0,
				  .host_uid = parent->host_uid,
				  .host_gid = parent->host_gid};
	struct inside_plan streams = {.tty = false};
	static const char words[] = "\"op\":\"branch\"";
	struct session_call call = {
		.timeout_ms = WAIT_MS, .answer_max = 4096, .signal_fd = -1, .received_fd = -1};
	auto_fd int channel = -1;
	int fds[3];
	int bad;

	if (message_pair(SOCK_STREAM, &m->channel, &channel) ||
	    message_name_senders(m->channel, true))
		return err_sys(e, "make the socket of a branch");
	if (child_streams(&streams, &map, false, &m->child, e))
		return -1;
	fds[0] = streams.stdio[1];
	fds[1] = streams.stdio[2];
	fds[2] = channel;
	call.send_fds = fds;
	call.send_count = 3;
	bad = session_ask(parent, parent->fds[SESSION_CHANNEL], words, strlen(words), &call, e) ||
	      session_read_refusal(&call, "the session cannot be copied", e);
	*lost = call.lost;
	own_close(&call.received_fd);
	buf_fini(&call.answer);
	child_parted(&m->child);
	return bad ? -1 : 0;
}

/*
 * Only a process of the session is moved: first the descriptor, then the look, then the number,
 * and it was that process' if it has not ended meanwhile. It must have one thread to enter, and
 * v1 moves a single thread without a lock of the whole machine (inside/cgroup.c).
 */
static int enter_groups(const struct session *parent, const struct making *m, pid_t pid,
			struct err *e)
{
	auto_fd int pidfd = pid > 1 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct pollfd ended = {pidfd, POLLIN, 0};
	const char *file = "cgroup.procs";
	char text[32];

	if (pidfd < 0 || !session_has(parent, (uint32_t)pid))
		return err_set(e, ERR_SYSTEM, "the copy of the session is none of its processes");
	if (!faccessat(m->cgroup.dirs[0], "tasks", F_OK, 0))
		file = "tasks";
	snprintf(text, sizeof(text), "%d", (int)pid);
	for (unsigned i = 0; i < m->cgroup.count; i++) {
		if (poll(&ended, 1, 0))
			return err_set(e, ERR_SYSTEM, "the copy of the session has ended");
		if (io_put(m->cgroup.dirs[i], file, text))
			return err_sys(e, "move the branch into its control group");
	}
	return poll(&ended, 1, 0) ? err_set(e, ERR_SYSTEM, "the copy of the session has ended") : 0;
}

/* The namespaces and the root come with the first byte, as session.py takes them. */
static int let_enter(const struct making *m, struct err *e)
{
	static const char go[] = "{\"op\":\"enter\"}";
	unsigned char header[FRAME_HEADER];
	int fds[BRANCH_NAMESPACES + 1];

	memcpy(fds, m->place.namespaces, sizeof(m->place.namespaces));
	fds[BRANCH_NAMESPACES] = m->place.root;
	frame_header(sizeof(go) - 1, header);
	if (message_send(m->channel, header, sizeof(header), fds, BRANCH_NAMESPACES + 1, 0) < 0 ||
	    message_send(m->channel, go, sizeof(go) - 1, NULL, 0, 0) < 0)
		return err_sys(e, "talk to the branch");
	return 0;
}

/* @handed: out, the code has got descriptors, or may have. */
static int start_move(const struct session *parent, struct making *m, bool *handed, struct err *e)
{
	struct hello hello;

	if (hello_await(m->channel, "the branch", &hello, e) ||
	    enter_groups(parent, m, hello.sender, e))
		return -1;
	*handed = true;
	return let_enter(m, e);
}

static int finish_move(struct making *m, struct err *e)
{
	struct hello hello;
	uint32_t inside = 0;

	if (hello_await(m->channel, "the branch", &hello, e) ||
	    branch_check(&m->place, m->cgroup.dirs[0], &inside, e))
		return -1;
	child_order(&m->child, ORDER_PROGRAM, (int)inside);
	return message_name_senders(m->channel, false) ? err_sys(e, "no longer ask for credentials")
						       : 0;
}

static void hand_out(const struct session *parent, struct making *m, struct session *out)
{
	*out = session_none();
	out->fds[SESSION_PIDFD] = take_fd(&m->child.pidfd);
	out->fds[SESSION_CONTROL] = take_fd(&m->child.control);
	out->fds[SESSION_CHANNEL] = take_fd(&m->channel);
	out->fds[SESSION_STDOUT] = take_fd(&m->child.output[0]);
	out->fds[SESSION_STDERR] = take_fd(&m->child.output[1]);
	out->fds[SESSION_WORKSPACE] = take_fd(&m->workspace);
	out->fds[SESSION_TREE] = take_fd(&m->tree);
	out->fds[SESSION_PLAN] = fcntl(parent->fds[SESSION_PLAN], F_DUPFD_CLOEXEC, 0);
	session_take_group(out, &m->cgroup);
	out->host_uid = m->place.uid;
	out->host_gid = m->place.gid;
	out->uid = parent->uid;
	out->gid = parent->gid;
	out->limits = parent->limits;
}

/* One is copied while the one before starts to move: more would count as the session's. */
static unsigned start_all(struct session *parent, struct making *all, unsigned count, bool *lost,
			  bool *handed, struct err *e)
{
	for (unsigned i = 0; i <= count; i++) {
		if (i < count && ask_for_copy(parent, &all[i], lost, e))
			return i ? i - 1 : 0;
		if (i && start_move(parent, &all[i - 1], handed, e))
			return i - 1;
	}
	return count;
}

/* Returns how many have arrived, in their order; *e says why they are not all. */
static unsigned move_all(struct session *parent, struct making *all, unsigned count,
			 enum session_outcome *outcome, struct err *e)
{
	unsigned arrived = 0;
	bool handed = false;
	bool lost = false;
	unsigned started = start_all(parent, all, count, &lost, &handed, e);
	struct err unsaid;

	while (arrived < started && !finish_move(&all[arrived], started < count ? &unsaid : e))
		arrived++;
	*outcome = arrived ? SESSION_MOVED : handed || lost ? SESSION_LOST : SESSION_STAYS;
	return arrived;
}

/* -- all of it -------------------------------------------------------------------------------- */

int session_branch(struct session *parent, int connection, unsigned count, struct session *out,
		   enum session_outcome *outcome, struct err *e)
{
	struct making *all = calloc(count, sizeof(*all));
	unsigned arrived = 0;
	unsigned kept;

	if (!all)
		abort();
	*outcome = SESSION_STAYS;
	for (unsigned i = 0; i < count; i++)
		making_init(&all[i]);
	if (!make_places(parent, connection, all, count, e))
		arrived = move_all(parent, all, count, outcome, e);
	kept = arrived == count ? count : *outcome == SESSION_MOVED;
	for (unsigned i = 0; i < count; i++) {
		if (i < kept)
			hand_out(parent, &all[i], &out[i]);
		making_fini(&all[i], i >= kept);
	}
	free(all);
	return arrived == count ? 0 : -1;
}

int session_leave(struct session *parent, struct err *e)
{
	struct child child = child_none();
	struct err unsaid;
	unsigned left;

	for (unsigned i = 0; i < parent->twin_count; i++)
		own_close(&parent->twins[i].socket);
	parent->twin_count = 0;
	child.control = parent->fds[SESSION_CONTROL];
	child_order(&child, ORDER_ANCHOR, 0);
	if (!session_kill_others(parent))
		return 0;
	/* They multiply faster than they are killed. What is killed standing still does not. */
	if (cgroup_freeze(parent->group, parent->groups, parent->group_count, e))
		return -1;
	(void)session_kill_others(parent);
	(void)cgroup_thaw(parent->group, parent->groups, parent->group_count, &unsaid);
	left = session_kill_others(parent);
	return left ? err_set(e, ERR_SYSTEM, "%u old processes of the session do not end", left)
		    : 0;
}
