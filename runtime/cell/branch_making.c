/*
 * branch_making - a branch on its way: namespaces, root and pid 1, until code moves in.
 */
#include "cell/branch_making.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/message.h"
#include "base/own.h"
#include "cell/client.h"

#define WAIT_MS 20000 /* until a branch has a root */

void making_init(struct making *m)
{
	*m = (struct making){
		.child = child_none(), .theirs = -1, .channel = -1, .workspace = -1, .tree = -1};
	m->child.adopted = true;
	m->place.root = m->cgroup.oom_fd = -1;
	for (int i = 0; i < BRANCH_NAMESPACES; i++)
		m->place.namespaces[i] = -1;
}

/* What moved into the groups but not into the pid namespace, pid 1 does not take along. */
static void kill_members(const struct making *m)
{
	struct session members = session_none();

	if (!m->cgroup.count)
		return;
	snprintf(members.group, sizeof(members.group), "%.79s", m->cgroup.name);
	members.groups[0] = m->cgroup.dirs[0];
	session_kill_others(&members);
}

/* @failed: kill it, and remove its group. */
void making_fini(struct making *m, bool failed)
{
	if (failed) {
		kill_members(m);
		child_end(&m->child);
		cgroup_close(&m->cgroup);
	}
	cgroup_forget(&m->cgroup);
	child_parted(&m->child);
	own_close(&m->place.root);
	own_close(&m->theirs);
	own_close(&m->channel);
	own_close(&m->workspace);
	own_close(&m->tree);
	for (int i = 0; i < BRANCH_NAMESPACES; i++)
		own_close(&m->place.namespaces[i]);
}

/* -- namespaces, root and pid 1 ----------------------------------------------------------- */

/* The pid behind a pidfd, as we see it (proc_pid_fdinfo(5)); -1: it has ended. */
static pid_t pid_of(int pidfd)
{
	char path[64];
	char text[512];
	const char *at;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	if (io_peek(AT_FDCWD, path, text, sizeof(text)))
		return -1;
	at = strstr(text, "\nPid:");
	return at ? (pid_t)strtol(at + 5, NULL, 10) : -1;
}

/* Of the process that a pidfd holds: that it still lives afterwards proves that it was that. */
static int open_namespace(int pidfd, const char *name, int *out, struct err *e)
{
	struct pollfd ended = {pidfd, POLLIN, 0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid_of(pidfd), name);
	*out = open(path, O_RDONLY | O_CLOEXEC);
	if (*out < 0)
		return err_sys(e, "open the %s namespace of a session", name);
	return poll(&ended, 1, 0) ? err_set(e, ERR_SYSTEM, "the session has ended") : 0;
}

/* The order of descriptors is that of struct cell_call. */
static int request(const struct session *parent, struct making *m, int connection,
		   struct wire_message *answer, struct json **json, struct err *e)
{
	auto_buf struct buf text = {0};
	auto_fd int user = -1;
	auto_fd int pids = -1;
	auto_fd int mounts = -1;
	int init = parent->fds[SESSION_PIDFD];
	struct stat plan;

	if (fstat(parent->fds[SESSION_PLAN], &plan))
		return err_sys(e, "look at the plan of a branch");
	if (!S_ISREG(plan.st_mode))
		return err_set(e, ERR_UNSUPPORTED,
			       "this session cannot branch: make it with session new --branches");
	if (open_namespace(init, "user", &user, e) || open_namespace(init, "pid", &pids, e) ||
	    open_namespace(init, "mnt", &mounts, e))
		return -1;
	buf_printf(&text, "{\"op\":\"branch\",\"uid\":%u,\"gid\":%u,\"plan_bytes\":%llu}",
		   parent->uid, parent->gid, (unsigned long long)plan.st_size);
	return client_ask(connection, &text,
			  (const int[]){m->theirs, parent->fds[SESSION_PLAN],
					parent->fds[SESSION_CONTROL], parent->fds[SESSION_TREE],
					user, pids, mounts},
			  7, answer, json, e);
}

static int adopt_group(const struct session *parent, struct making *m, struct wire_message *answer,
		       const struct json *json, struct err *e)
{
	int dirs[CGROUP_MAX_FDS];
	const char *group = json_string(json_get(json, "group"));
	unsigned count = answer->fd_count;

	if (!group || count > CGROUP_MAX_FDS || !count)
		return err_set(e, ERR_UNSUPPORTED,
			       "a session without control groups cannot branch");
	for (unsigned i = 0; i < count; i++)
		dirs[i] = wire_take(answer, i);
	return cgroup_adopt(group, dirs, count, &parent->limits, &m->cgroup, e);
}

/* Both credentials and perhaps a descriptor come with each report of pid 1. 1, or 0 at the end. */
static int receive_report(int control, struct report *r, int *fd, pid_t *sender)
{
	struct message_extra extra;
	ssize_t n = message_receive(control, r, sizeof(*r), 0, &extra);

	*fd = n < 0 ? -1 : message_take(&extra);
	*sender = extra.sender;
	return n == (ssize_t)sizeof(*r);
}

/* Until its pid 1 has locked itself down; what it sends on the way is kept. */
static int await_place(struct making *m, struct err *e)
{
	struct pollfd fd = {m->child.control, POLLIN, 0};
	struct report r = {0};
	int sent;

	for (;;) {
		if (poll(&fd, 1, WAIT_MS) <= 0)
			return err_set(e, ERR_SYSTEM, "the branch does not start");
		if (!receive_report(fd.fd, &r, &sent, &m->place.init))
			return err_set(e, ERR_SYSTEM, "the branch has ended");
		switch (r.kind) {
		case REPORT_ERROR:
			r.error.text[sizeof(r.error.text) - 1] = '\0';
			*e = r.error;
			own_close(&sent);
			return -1;
		case REPORT_FD_STAGE:
			own_close(&m->workspace);
			m->workspace = sent;
			break;
		case REPORT_FD_ROOT:
			own_close(&m->place.root);
			m->place.root = sent;
			break;
		case REPORT_FD_TREE:
			own_close(&m->tree);
			m->tree = sent;
			break;
		case REPORT_PARTED:
			own_close(&sent);
			return 0;
		case REPORT_FD_PTY:
		case REPORT_EXIT:
			own_close(&sent);
			break;
		}
	}
}

static int open_place(struct making *m, struct err *e)
{
	m->child.pidfd = (int)syscall(SYS_pidfd_open, m->place.init, 0);
	if (m->child.pidfd < 0 || m->place.root < 0 || m->workspace < 0 || m->tree < 0)
		return err_set(e, ERR_SYSTEM, "the branch has ended");
	for (int i = 0; i < BRANCH_NAMESPACES; i++) {
		if (open_namespace(m->child.pidfd, branch_namespace_name(i),
				   &m->place.namespaces[i], e))
			return -1;
	}
	return message_name_senders(m->child.control, false)
		       ? err_sys(e, "no longer ask for credentials")
		       : 0;
}

/* -- both halves ------------------------------------------------------------------------------ */

int making_request(struct making *m, const struct session *parent, int connection, struct err *e)
{
	struct wire_message answer;
	struct json *json;
	int bad;

	m->place.uid = parent->host_uid;
	m->place.gid = parent->host_gid;
	if (message_pair(SOCK_SEQPACKET, &m->child.control, &m->theirs) ||
	    message_name_senders(m->child.control, true))
		return err_sys(e, "make the control socket of a branch");
	if (request(parent, m, connection, &answer, &json, e))
		return -1;
	own_close(&m->theirs); /* or we would not see the end of it */
	bad = adopt_group(parent, m, &answer, json, e);
	json_free(json);
	wire_fini(&answer);
	return bad;
}

int making_await(struct making *m, struct err *e)
{
	return await_place(m, e) || open_place(m, e) ? -1 : 0;
}
