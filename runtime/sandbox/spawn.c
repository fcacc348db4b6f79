/*
 * spawn - clone the child that becomes pid 1 of a sandbox, and exchange messages with it.
 */
#include "sandbox/spawn.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "inside/confine.h"
#include "inside/init.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "namespace/namespaces.h"
#include "net/message.h"

struct pipe {
	int read;
	int write;
};

static void spawn_pipe_close(struct pipe *p)
{
	own_close(&p->read);
	own_close(&p->write);
}

#define auto_pipe __attribute__((cleanup(spawn_pipe_close)))

/* Make our end non-blocking, and leave the program's end blocking, like any pipe. */
static int spawn_make_pipe(struct pipe *p, bool we_read, const struct idmap *map, struct err *e)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return err_sys(e, "make a pipe for the program");
	*p = (struct pipe){fds[0], fds[1]};
	if (fcntl(we_read ? p->read : p->write, F_SETFL, O_NONBLOCK))
		return err_sys(e, "make a pipe non-blocking");
	/* So that the program can open /dev/stdout and /proc/self/fd/1 again. */
	if (map->privileged && fchown(p->read, map->host_uid, map->host_gid))
		return idmap_check_ids(e) ? -1 : err_sys(e, "hand a pipe to the program");
	/*
	 * An ordinary user cannot change its owner. Only processes that may inspect one that has it
	 * can open it by name.
	 */
	if (!map->privileged && map->host_uid != geteuid() && fchmod(p->read, 0666))
		return err_sys(e, "hand a pipe to the program");
	return 0;
}

static uint64_t spawn_namespaces(const struct inside_plan *plan)
{
	uint64_t flags = CLONE_NEWUSER;

	flags |= confine_omitted(plan, "mount-ns") ? 0 : CLONE_NEWNS;
	flags |= confine_omitted(plan, "pid-ns") ? 0 : CLONE_NEWPID;
	flags |= confine_omitted(plan, "ipc-ns") ? 0 : CLONE_NEWIPC;
	flags |= confine_omitted(plan, "uts-ns") ? 0 : CLONE_NEWUTS;
	(void)plan;
	return flags;
}

static int spawn_clone_child(const struct inside_plan *plan, const struct cgroup *cgroup,
			     struct child *out, struct err *e)
{
	/* A signal with a handler reaches even pid 1 from inside, so clear our handlers. */
	struct clone_args args = {.flags = CLONE_PIDFD | CLONE_FILES | CLONE_CLEAR_SIGHAND |
					   spawn_namespaces(plan),
				  .pidfd = (uint64_t)(uintptr_t)&out->pidfd,
				  .exit_signal = SIGCHLD};
	long pid;

	if (cgroup_birth_fd(cgroup) >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup_birth_fd(cgroup);
	}
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		inside_main(plan);
	if (pid < 0)
		return namespaces_refused(spawn_namespaces(plan), "make the sandbox's namespaces",
					  e);
	out->pid = (pid_t)pid;
	return 0;
}

int child_streams(struct inside_plan *plan, const struct idmap *map, bool want_stdin,
		  struct child *out, struct err *e)
{
	auto_pipe struct pipe in = {-1, -1};
	auto_pipe struct pipe out_pipe = {-1, -1};
	auto_pipe struct pipe err_pipe = {-1, -1};

	if (!plan->tty &&
	    ((want_stdin && spawn_make_pipe(&in, false, map, e)) ||
	     spawn_make_pipe(&out_pipe, true, map, e) || spawn_make_pipe(&err_pipe, true, map, e)))
		return -1;
	plan->stdio[0] = out->theirs[CHILD_STREAMS] = take_fd(&in.read);
	plan->stdio[1] = out->theirs[CHILD_STREAMS + 1] = take_fd(&out_pipe.write);
	plan->stdio[2] = out->theirs[CHILD_STREAMS + 2] = take_fd(&err_pipe.write);
	out->input = take_fd(&in.write);
	out->output[0] = take_fd(&out_pipe.read);
	out->output[1] = take_fd(&err_pipe.read);
	return 0;
}

/* Copy it: our descriptor may be closed at any time, and the child shares our table. */
static int spawn_copy_network(struct inside_plan *plan, struct child *out, struct err *e)
{
	if (plan->egress_fd < 0)
		return 0;
	plan->egress_fd = out->theirs[5] = fcntl(plan->egress_fd, F_DUPFD_CLOEXEC, 0);
	return plan->egress_fd < 0 ? err_sys(e, "copy a descriptor of the network") : 0;
}

static int spawn_start(struct inside_plan *plan, const struct cgroup *cgroup,
		       const struct idmap *map, bool want_stdin, struct child *out, struct err *e)
{
	if (message_pair(SOCK_SEQPACKET, &out->control, &out->theirs[0]))
		return err_sys(e, "make the control socket");
	plan->outer_fd = out->control;
	plan->control_fd = out->theirs[0];
	plan->parent_fd = out->theirs[4] = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (plan->parent_fd < 0)
		return err_sys(e, "open a pidfd of our own");
	return child_streams(plan, map, want_stdin, out, e) || spawn_copy_network(plan, out, e) ||
			       spawn_clone_child(plan, cgroup, out, e)
		       ? -1
		       : 0;
}

int child_start(struct inside_plan *plan, const struct cgroup *cgroup, const struct idmap *map,
		bool want_stdin, struct child *out, struct err *e)
{
	*out = child_none();
	if (!spawn_start(plan, cgroup, map, want_stdin, out, e))
		return 0;
	child_end(out);
	return -1;
}

/* A child that has ended cannot get ids; its report has the cause. */
static int spawn_not_admitted(const struct child *c, struct err *e)
{
	struct report r;
	int fd;

	while (child_receive(c->control, &r, &fd)) {
		own_close(&fd);
		if (r.kind != REPORT_ERROR)
			continue;
		*e = r.error;
		namespaces_explain(e);
	}
	return -1;
}

int child_admit(const struct child *c, const struct cgroup *cgroup, const struct idmap *map,
		struct err *e)
{
	struct order go = {.kind = ORDER_GO};

	if (idmap_write(c->pid, map, e))
		return spawn_not_admitted(c, e);
	if (cgroup_birth_fd(cgroup) < 0)
		go.cgroup_count = cgroup->task_count;
	for (unsigned i = 0; i < go.cgroup_count; i++)
		go.cgroup_fds[i] = cgroup->tasks[i];
	/* If the child is gone already, its pidfd shows it. */
	send(c->control, &go, sizeof(go), MSG_NOSIGNAL);
	return 0;
}

void child_parted(struct child *c)
{
	for (int i = 0; i < CHILD_THEIRS; i++) {
		if (!c->waits || i < CHILD_STREAMS || i >= CHILD_STREAMS + 3)
			own_close(&c->theirs[i]);
	}
}

int child_receive(int socket, struct report *r, int *fd)
{
	struct message_extra extra;

	*fd = -1;
	if (socket < 0)
		return 0;
	if (message_receive(socket, r, sizeof(*r), MSG_DONTWAIT, &extra) != (ssize_t)sizeof(*r)) {
		message_drop(&extra);
		return 0;
	}
	*fd = message_take(&extra);
	/*
	 * The root's descriptor would only be closed, and without counters a run lacks one line:
	 * ignore a missing one.
	 */
	if (extra.lacks_fds && r->kind != REPORT_FD_ROOT && r->kind != REPORT_PARTED) {
		r->kind = REPORT_ERROR;
		err_set(&r->error, ERR_LIMIT,
			"this process has no descriptors left for its sandbox: raise its limit of "
			"open files (ulimit -n)");
	}
	/* Our own code wrote the text, but in a process behind the boundary. */
	r->error.text[sizeof(r->error.text) - 1] = '\0';
	return 1;
}

int child_order(int control, enum order_kind kind, int value)
{
	return child_order_exec(control, kind, value, 0);
}

int child_order_exec(int control, enum order_kind kind, int value, uint32_t exec)
{
	struct order order = {.kind = kind, .value = value, .exec = exec};

	/* A child that is gone needs no order; its pidfd shows its end. */
	if (control < 0)
		return -1;
	return send(control, &order, sizeof(order), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -1 : 0;
}

/* Pid 1 has obeyed an order when it reads the next one: so send two. */
void child_interrupt(int control)
{
	(void)child_order(control, ORDER_GROUP, SIGINT);
	(void)child_order(control, ORDER_GROUP, 0);
}

bool child_has_interrupted(int control)
{
	int unread = 0;

	return ioctl(control, SIOCOUTQ, &unread) || !unread;
}

void child_is_ending(struct child *c)
{
	if (!c->end_by_us)
		c->end_by_us = monotonic_us() + CHILD_END_MS * 1000ull;
}

uint64_t child_end_by(const struct child *c)
{
	return c->end_by_us ? c->end_by_us : UINT64_MAX;
}

void child_kill(struct child *c)
{
	child_is_ending(c);
	if (c->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0);
}

void child_wait(struct child *c, struct rusage *usage)
{
	child_is_ending(c);
	(void)fd_await(c->pidfd, POLLIN, c->end_by_us);
	if (c->pid && !c->adopted)
		wait4(c->pid, NULL, WNOHANG, usage);
	c->pid = 0;
	c->waits = false;
	own_close(&c->pidfd);
	child_parted(c);
}

void child_end(struct child *c)
{
	child_kill(c);
	if (c->pidfd >= 0)
		child_wait(c, NULL);
	own_close(&c->control);
	own_close(&c->input);
	own_close(&c->reports);
	own_close(&c->ends);
	own_close(&c->output[0]);
	own_close(&c->output[1]);
	own_close(&c->counters);
	c->waits = false;
	child_parted(c);
}
