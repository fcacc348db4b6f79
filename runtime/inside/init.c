/*
 * init - pid 1 of a sandbox.
 */
#include "inside/init.h"

#include <errno.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#include "inside/confine.h"
#include "inside/door.h"
#include "inside/exec.h"
#include "inside/report.h"
#include "inside/sys.h"

#define NOBODY      0        /* no process has this pid */
#define NOT_YET     LONG_MIN /* a sandbox that stays waits for the order to start its program */
#define NURSERY_PID 32000    /* below the smallest pid_max; no cell forks that often */

/* Runs: the program-to-be. */
__attribute__((noreturn, noinline)) static void init_become_program(const struct inside_plan *plan)
{
	struct report r = {0};

	if (!confine_run(plan->is_nursery ? nursery_steps : program_steps, plan, &r.error))
		inside_exec(plan, &r.error);
	inside_give_up(plan, &r);
}

static void init_add_time(struct timeval *sum, const struct timeval *t)
{
	sum->tv_usec += t->tv_usec;
	sum->tv_sec += t->tv_sec + sum->tv_usec / 1000000;
	sum->tv_usec %= 1000000;
}

/* Reap dead processes until the program, whose pid is returned. */
static long init_reap(const struct inside_plan *plan, long program, struct report *r)
{
	int status = 0;
	struct rusage usage = {0};
	long pid = -1;

	while (pid != program && (pid = sys4(__NR_wait4, -1, &status, WNOHANG, &usage)) > 0) {
		init_add_time(&r->usage.ru_utime, &usage.ru_utime);
		init_add_time(&r->usage.ru_stime, &usage.ru_stime);
		if (pid == program) {
			r->value = status;
			r->usage.ru_maxrss = usage.ru_maxrss;
		}
		if (plan->stays)
			door_ended(plan, pid, status, &usage);
	}
	return pid;
}

/*
 * Reap the rest, and report each process before it is reaped, so that every process that has left
 * the group has been reported (sandbox/early_end.h).
 */
static void init_reap_rest(const struct inside_plan *plan, struct report *r)
{
	siginfo_t info = {0};
	struct rusage usage = {0};

	inside_report(plan, r);
	while (!sys5(__NR_waitid, P_ALL, 0, &info, WEXITED | WNOWAIT, &usage)) {
		init_add_time(&r->usage.ru_utime, &usage.ru_utime);
		init_add_time(&r->usage.ru_stime, &usage.ru_stime);
		inside_report(plan, r);
		sys4(__NR_wait4, info.si_pid, NULL, 0, NULL);
	}
}

/* Signal a program's group, to which it may no longer belong. */
static void init_signal(const struct order *order, long program)
{
	if (order->exec)
		program = door_pid(order->exec);
	if (program <= 0)
		return;
	if (order->kind == ORDER_GROUP && !sys2(__NR_kill, -program, order->value))
		return;
	sys2(__NR_kill, program, order->value);
}

/* The sandbox ends with its first program, or without one. */
static void init_start(const struct inside_plan *plan, const struct order *order,
		       struct packet *packet, long *program)
{
	long pid = door_start(plan, order, packet);

	if (order->exec == DOOR_FIRST && !pid)
		sys_exit(125);
	if (order->exec == DOOR_FIRST)
		*program = pid;
}

/*
 * Obey one order of the monitor. End of file means that the monitor is gone: then end, too. Returns
 * false if that layer is omitted: no further orders come.
 */
static bool init_obey(const struct inside_plan *plan, long *program)
{
	struct order order = {0};
	struct packet packet;
	long n;

	packet.fd_count = 0;
	n = plan->stays ? packet_receive(plan->control_fd, &order, sizeof(order), &packet)
			: sys_read(plan->control_fd, &order, sizeof(order));

	if (n == 0 && !confine_omitted(plan, "control-end"))
		sys_exit(125);
	if (plan->stays && n == -EBADMSG && order.kind == ORDER_EXEC)
		n = 1; /* descriptors were lost: it is refused */
	if (n != (plan->stays ? 1 : (long)sizeof(order))) {
		packet_close(&packet);
		return n != 0;
	}
	if (order.kind == ORDER_EXEC)
		init_start(plan, &order, &packet, program);
	if (order.kind == ORDER_SIGNAL || order.kind == ORDER_GROUP)
		init_signal(&order, *program);
	if (order.kind == ORDER_PROGRAM && order.value > 1)
		*program = order.value;
	return true;
}

/*
 * The program has ended: obey the orders that came before. A rollback names another program, and
 * then kills the one of now.
 */
static void init_obey_all(const struct inside_plan *plan, int control_fd, long *program)
{
	struct pollfd control = {control_fd, POLLIN, 0};
	struct timespec now = {0, 0};

	while (sys5(__NR_ppoll, &control, 1, &now, NULL, 0) == 1 && init_obey(plan, program))
		;
}

/* Returns whether there is a program any more, which may be another one. */
static bool init_goes_on(const struct inside_plan *plan, int control_fd, long *program,
			 struct report *r)
{
	const long ended = *program;

	if (init_reap(plan, ended, r) != ended)
		return true;
	init_obey_all(plan, control_fd, program);
	return *program != ended;
}

void inside_reap(const struct inside_plan *plan, long program)
{
	unsigned long child_ended = 1ul << (SIGCHLD - 1);
	struct report r = {.kind = REPORT_EXIT};
	long child_fd;
	int control_fd = plan->control_fd;
	struct signalfd_siginfo info;

	child_fd = sys4(__NR_signalfd4, -1, &child_ended, sizeof(child_ended),
			SFD_CLOEXEC | SFD_NONBLOCK);
	if (child_fd < 0) {
		inside_fail(&r.error, child_fd, "watch the program", NULL);
		inside_give_up(plan, &r);
	}
	while (init_goes_on(plan, control_fd, &program, &r)) {
		struct pollfd fds[] = {
			{(int)child_fd, POLLIN, 0},
			{control_fd,    POLLIN, 0},
		};

		sys5(__NR_ppoll, fds, 2, NULL, NULL, 0);
		if (fds[0].revents)
			sys_read((int)child_fd, &info, sizeof(info));
		if (fds[1].revents && !init_obey(plan, &program))
			control_fd = -1;
	}
	/* Leftover processes would die with us, but their CPU time would not be counted. */
	sys2(__NR_kill, -1, SIGKILL);
	init_reap(plan, NOBODY, &r);
	init_reap_rest(plan, &r);
	sys_exit(0);
}

/*
 * Libraries notice a fork by a changed getpid() and then draw new random numbers. So a cell's
 * processes must not have the nursery's pid (clone3(2), set_tid, Linux 5.5).
 */
static inline __attribute__((always_inline)) long init_clone_nursery(void)
{
	pid_t pid = NURSERY_PID;
	struct clone_args args = {.flags = CLONE_VM | CLONE_VFORK,
				  .exit_signal = SIGCHLD,
				  .set_tid = (uint64_t)(uintptr_t)&pid,
				  .set_tid_size = 1};

	return sys2(__NR_clone3, &args, sizeof(args));
}

void inside_main(const struct inside_plan *plan)
{
	unsigned long child_ended = 1ul << (SIGCHLD - 1);
	struct report r = {0};
	long program;

	if (confine_run(init_steps, plan, &r.error))
		inside_give_up(plan, &r);
	sys4(__NR_rt_sigprocmask, SIG_SETMASK, &child_ended, NULL, sizeof(child_ended));
	if (plan->stays) {
		if (confine_run(door_steps, plan, &r.error))
			inside_give_up(plan, &r);
		inside_reap(plan, NOT_YET);
	}
	/*
	 * Like vfork: the program-to-be borrows our memory and stack until execve, and we sleep.
	 * This copies no pages and causes no faults. It must not return from this function.
	 */
	program = plan->is_nursery ? init_clone_nursery()
				   : sys5(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL, NULL,
					  NULL, NULL);
	if (program == 0)
		init_become_program(plan);
	if (program < 0) {
		inside_fail(&r.error, program, "fork the program", NULL);
		r.error.no_process = true;
		inside_give_up(plan, &r);
	}
	if (confine_run(reaper_steps, plan, &r.error))
		inside_give_up(plan, &r);
	inside_reap(plan, program);
}
