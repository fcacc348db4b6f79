/*
 * init - pid 1 of a sandbox.
 */
#include "inside/init.h"

#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "inside/confine.h"
#include "inside/exec.h"
#include "inside/sys.h"

static void report(const struct inside_plan *plan, const struct report *r)
{
	sys_write(plan->control_fd, r, sizeof(*r));
}

long inside_send_fd(const struct inside_plan *plan, enum report_kind kind, int fd)
{
	struct report r = {.kind = kind};
	struct iovec iov = {.iov_base = &r, .iov_len = sizeof(r)};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	long n;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	*(int *)CMSG_DATA(header) = fd;
	n = sys3(__NR_sendmsg, plan->control_fd, &message, MSG_NOSIGNAL);
	return n < 0 ? n : 0;
}

__attribute__((noreturn)) static void fail(const struct inside_plan *plan, struct report *r)
{
	r->kind = REPORT_ERROR;
	report(plan, r);
	sys_exit(125);
}

/* Runs: the program-to-be. */
__attribute__((noreturn, noinline)) static void become_program(const struct inside_plan *plan)
{
	struct report r = {0};

	if (!confine_run(program_steps, plan, &r.error))
		inside_exec(plan, &r.error);
	fail(plan, &r);
}

/* Reap everything that is dead. Returns 1 when the program was among them. */
static int reap(long program, int *status)
{
	for (;;) {
		int s = 0;
		long pid = sys4(__NR_wait4, -1, &s, WNOHANG, NULL);

		if (pid <= 0)
			return 0;
		if (pid == program) {
			*status = s;
			return 1;
		}
	}
}

/* One order from the supervisor; an end of file means it is gone, and so are we. */
static void obey(const struct inside_plan *plan, long program)
{
	struct order order = {0};
	long n = sys_read(plan->control_fd, &order, sizeof(order));

	if (n == 0)
		sys_exit(125);
	if (n == (long)sizeof(order) && order.kind == ORDER_SIGNAL)
		sys2(__NR_kill, program, order.value);
}

__attribute__((noreturn)) static void watch(const struct inside_plan *plan, long program,
					    int child_fd)
{
	struct report r = {.kind = REPORT_EXIT};
	struct pollfd fds[] = {
		{child_fd,         POLLIN, 0},
                {plan->control_fd, POLLIN, 0}
        };
	struct signalfd_siginfo info;

	while (!reap(program, &r.value)) {
		sys5(__NR_ppoll, fds, 2, NULL, NULL, 0);
		if (fds[0].revents)
			sys_read(child_fd, &info, sizeof(info));
		if (fds[1].revents)
			obey(plan, program);
	}
	report(plan, &r);
	sys_exit(0);
}

void inside_main(const struct inside_plan *plan)
{
	unsigned long child_ended = 1ul << (SIGCHLD - 1);
	struct report r = {0};
	long program;
	long child_fd;

	if (confine_run(init_steps, plan, &r.error))
		fail(plan, &r);
	sys4(__NR_rt_sigprocmask, SIG_SETMASK, &child_ended, NULL, sizeof(child_ended));
	/*
	 * As vfork: the program-to-be borrows our memory and stack until execve, and we
	 * sleep. Nothing is copied, nothing faults. It may only call down from here.
	 */
	program = sys5(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, NULL);
	if (program == 0)
		become_program(plan);
	if (program < 0) {
		inside_fail(&r.error, program, "fork the program", NULL);
		fail(plan, &r);
	}
	if (confine_run(reaper_steps, plan, &r.error))
		fail(plan, &r);
	child_fd = sys4(__NR_signalfd4, -1, &child_ended, sizeof(child_ended),
			SFD_CLOEXEC | SFD_NONBLOCK);
	if (child_fd < 0) {
		inside_fail(&r.error, child_fd, "watch the program", NULL);
		fail(plan, &r);
	}
	watch(plan, program, (int)child_fd);
}
