/*
 * cell_birth - a new cell: namespaces, cgroups, pid 1.
 *
 * Two processes are cloned one after the other, each borrowing the nursery's memory and stack while
 * the nursery sleeps (vfork): an intermediate process in the nursery's pid namespace, which makes
 * the user namespace and everything in it that must exist first, and pid 1. They must not return
 * from the function that cloned them, and must leave all memory as it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <signal.h>

#include "inside/cell.h"
#include "inside/confine.h"
#include "inside/packet.h"
#include "inside/report.h"
#include "inside/sys.h"

#define NAMESPACES (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS)

struct birth {
	const struct packet *packet;
	const struct cell_call *call;
	const struct cell_fork *how;
};

/* The positions of a call's descriptors in its packet. */
enum { FD_CONTROL, FD_START, FD_CGROUPS };

static const int *cell_birth_cgroup_fds(const struct birth *b)
{
	return b->packet->fds + FD_CGROUPS;
}

/* For steps that run before there is a plan. */
static struct inside_plan cell_birth_plan(const struct birth *b)
{
	return (struct inside_plan){.control_fd = b->packet->fds[FD_CONTROL],
				    .oom_score_adj = SANDBOX_OOM_SCORE,
				    .egress_fd = -1,
				    .omit = b->call->omit,
				    .is_cell = true};
}

__attribute__((noreturn)) static void cell_birth_give_up(const struct birth *b, long result,
							 const char *verb)
{
	const struct inside_plan plan = cell_birth_plan(b);
	struct report r = {0};

	inside_fail(&r.error, result, verb, NULL);
	inside_give_up(&plan, &r);
}

/* -- the intermediate process ------------------------------------------------------------- */

static long cell_birth_join_cgroups(const struct birth *b)
{
	struct order order = {.cgroup_count = b->call->cgroup_count};

	for (unsigned i = 0; i < order.cgroup_count; i++)
		order.cgroup_fds[i] = cell_birth_cgroup_fds(b)[i];
	return inside_join_cgroups(&order);
}

/*
 * Take the ids that will own the new user namespace. Changing ids makes the memory undumpable, and
 * /proc/self root's; make it dumpable again, because it is only the nursery's own memory.
 */
static long cell_birth_take_ids(const struct cell_call *call)
{
	long n = sys3(__NR_setresgid, call->outer_gid, call->outer_gid, call->outer_gid);

	if (n >= 0)
		n = sys3(__NR_setresuid, call->outer_uid, call->outer_uid, call->outer_uid);
	if (n >= 0)
		n = sys2(__NR_prctl, PR_SET_DUMPABLE, 1);
	return n;
}

static char *cell_birth_put_number(char *end, uint32_t value)
{
	do
		*--end = (char)('0' + value % 10);
	while (value /= 10);
	return end;
}

static long cell_birth_write_text(const struct birth *b, const char *path, const char *text,
				  size_t length)
{
	long fd = sys_openat(b->how->proc_fd, path, O_WRONLY | O_CLOEXEC, 0);
	long n = fd < 0 ? fd : sys_write((int)fd, text, length);

	sys_close((int)fd);
	return n;
}

/* One id, "INSIDE OUTSIDE 1": an unprivileged process may map no more (user_namespaces(7)). */
static long cell_birth_write_map(const struct birth *b, const char *path, uint32_t inside,
				 uint32_t outside)
{
	char line[32];
	char *end = line + sizeof(line);
	char *p = end;

	*--p = '1';
	*--p = ' ';
	p = cell_birth_put_number(p, outside);
	*--p = ' ';
	p = cell_birth_put_number(p, inside);
	return cell_birth_write_text(b, path, p, (size_t)(end - p));
}

/* Make a user namespace below the nursery's: another cell's capabilities do not reach into it. */
static long cell_birth_make_namespaces(const struct birth *b)
{
	const struct cell_call *call = b->call;
	long n = cell_birth_take_ids(call);

	if (n >= 0)
		n = sys1(__NR_unshare, NAMESPACES);
	if (n >= 0)
		n = cell_birth_write_text(b, "self/setgroups", "deny", 4);
	if (n >= 0)
		n = cell_birth_write_map(b, "self/gid_map", call->gid, call->outer_gid);
	if (n >= 0)
		n = cell_birth_write_map(b, "self/uid_map", call->uid, call->outer_uid);
	return n;
}

/* -- pid 1 ------------------------------------------------------------------------------ */

/* Become cell-init, with only the control socket. */
__attribute__((noreturn)) static void cell_birth_become_init(const struct birth *b)
{
	const int init = CONTROL_FD + 1; /* closed by exec */
#ifdef GLOVEBOX_TESTING
	char *const argv[] = {(char *)"init", (char *)b->call->omit, NULL};
#else
	static char *const argv[] = {(char *)"init", NULL};
#endif
	static char *const envp[] = {NULL};
	unsigned long child_ended = 1ul << (SIGCHLD - 1);
	long n;

	sys4(__NR_rt_sigprocmask, SIG_SETMASK, &child_ended, NULL, sizeof(child_ended));
	n = sys3(__NR_dup3, b->packet->fds[FD_CONTROL], CONTROL_FD, 0);
	if (n >= 0)
		n = sys3(__NR_dup3, b->how->init_fd, init, O_CLOEXEC);
	if (n >= 0)
		n = sys3(__NR_close_range, init + 1, ~0u, 0);
	if (n >= 0)
		n = sys5(__NR_execveat, init, "", argv, envp, AT_EMPTY_PATH);
	cell_birth_give_up(b, n, "run cell-init");
}

/* Only a hint: pages that are not available now are faulted in later. */
static void cell_birth_request(const struct cell_pages *pages)
{
	for (uint64_t i = 0; i < pages->count; i++)
		sys3(__NR_madvise, pages->ranges[i].start, pages->ranges[i].bytes,
		     pages->ranges[i].advice);
}

/* Like os.fork(). The child has its own memory from here on. */
static long cell_birth_fork_python(const struct cell_fork *how, const struct cell_pages *pages)
{
	long pid;

	how->before();
	pid = how->fork();
	if (pid == 0) {
		cell_birth_request(pages);
		how->after_child();
	} else {
		how->after_parent();
	}
	return pid;
}

/* Pid 1. The program that it forks has a stack of its own, and returns. */
__attribute__((noinline)) static void cell_birth_be_pid_one(const struct birth *b)
{
	const struct inside_plan plan = cell_birth_plan(b);
	struct report r = {0};
	long n;

	if (confine_run(cell_init_steps, &plan, &r.error))
		inside_give_up(&plan, &r);
	n = cell_birth_fork_python(b->how, &b->how->certain);
	if (n == 0)
		return;
	if (n != CELL_PROGRAM)
		cell_birth_give_up(b, -ECHILD, "fork the program");
	cell_birth_become_init(b);
}

/* Returns in the program only. */
__attribute__((noinline)) static void cell_birth_make_pid_one(const struct birth *b)
{
	long n = cell_birth_make_namespaces(b);

	if (n < 0)
		cell_birth_give_up(b, n, "make the namespaces of a cell");
	n = sys5(__NR_clone, CLONE_VM | CLONE_VFORK | CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL,
		 NULL);
	if (n == 0) {
		cell_birth_be_pid_one(b);
		return;
	}
	if (n < 0)
		cell_birth_give_up(b, n, "clone pid 1 of a cell");
	sys_exit(0);
}

/* Returns in the program only. */
__attribute__((noinline)) static void cell_birth_deliver(const struct birth *b)
{
	const struct inside_plan plan = cell_birth_plan(b);
	struct report r = {0};
	long n;

	if (confine_run(intermediate_steps, &plan, &r.error))
		inside_give_up(&plan, &r);
	n = confine_omitted(&plan, "cgroup") ? 0 : cell_birth_join_cgroups(b);
	if (n < 0)
		cell_birth_give_up(b, n, "join the cgroups");
	cell_birth_make_pid_one(b);
}

long cell_fork_apart(const struct cell_fork *how)
{
	static const struct cell_pages none = {0};
	int status = 0;
	long pid = sys5(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0) {
		pid = cell_birth_fork_python(how, &none);
		/* An interrupt of the code must not reach the copy. */
		if (pid == 0)
			sys2(__NR_setpgid, 0, 0);
		if (pid == 0)
			return 0;
		sys_exit(pid < 0);
	}
	if (pid < 0)
		return pid;
	/* -ECHILD: foreign code ignores SIGCHLD, or has reaped it; it succeeded. */
	if (sys4(__NR_wait4, pid, &status, 0, NULL) < 0)
		return 1;
	return status ? -EAGAIN : 1;
}

int cell_make(int socket, const struct cell_fork *how, struct cell_place *place)
{
	struct packet packet;
	struct cell_call call;
	struct birth birth = {&packet, &call, how};
	long pid;

	if (packet_receive(socket, &call, sizeof(call), &packet) <= 0)
		return CELL_END;
	if (call.cgroup_count > ORDER_MAX_CGROUPS ||
	    packet.fd_count != FD_CGROUPS + call.cgroup_count) {
		packet_close(&packet);
		return CELL_END;
	}
	pid = sys5(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		cell_birth_deliver(&birth);
		*place = (struct cell_place){packet.fds[FD_CONTROL], packet.fds[FD_START]};
		sys_close(socket); /* an open copy would hide the nursery's end */
		sys_close(how->init_fd);
		sys_close(how->proc_fd);
		return CELL_BORN;
	}
	/*
	 * An intermediate process that was killed after cell_birth_take_ids() leaves us undumpable.
	 */
	sys2(__NR_prctl, PR_SET_DUMPABLE, 1);
	packet_close(&packet); /* without a cell: the supervisor sees the end */
	return CELL_ANOTHER;
}
