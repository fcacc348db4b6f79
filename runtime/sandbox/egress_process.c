/*
 * egress_process - execute glovebox-egress with two descriptors and nothing else of ours.
 */
#include "sandbox/egress_process.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "cgroup/cgroup_network.h"
#include "host/device.h"
#include "loop/clock.h"
#include "loop/fd.h"

#define END_US   2000000
#define RAISED   16 /* above the numbers that it will have */
#define EXIT_OUR 125

/*
 * Pass on nothing of the caller's environment: it may hold keys, and variables that direct a
 * resolver (RES_OPTIONS, LOCALDOMAIN, HOSTALIASES). Only the testing build passes GLOVEBOX_OMIT
 * (host/omit.h).
 */
static void egress_process_clear_environment(void)
{
#ifdef GLOVEBOX_TESTING
	char *omit = getenv("GLOVEBOX_OMIT");

	clearenv();
	if (omit)
		setenv("GLOVEBOX_OMIT", omit, 1);
#else
	clearenv();
#endif
}

/* Runs: the process that becomes glovebox-egress. */
__attribute__((noreturn)) static void egress_process_become(const char *program, int control,
							    int sockets)
{
	char *const argv[] = {(char *)EGRESS_PROGRAM, NULL};
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int from[] = {null, null, null, control, sockets};
	int raised[5];
	sigset_t none;

	setsid();
	for (int i = 0; i < 5; i++)
		raised[i] = fcntl(from[i], F_DUPFD, RAISED);
	for (int i = 0; i < 5; i++) {
		if (raised[i] < 0 || dup2(raised[i], i) < 0)
			_exit(EXIT_OUR);
	}
	if (close_range(EGRESS_SOCKETS_FD + 1, UINT_MAX, 0))
		_exit(EXIT_OUR);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	egress_process_clear_environment();
	execv(program, argv);
	_exit(EXIT_OUR);
}

/* Runs: a child. Exit if the parent died before the parent-death signal was set. */
static void egress_process_die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(EXIT_OUR);
}

/* Reap the process that forked it and exited: it is then not our child, and we need not reap it. */
static int egress_process_part(pid_t between, pid_t *out, struct err *e)
{
	int status = EXIT_OUR;
	pid_t n;

	*out = 0;
	do
		n = waitpid(between, &status, 0);
	while (n < 0 && errno == EINTR);
	/* ECHILD: our caller ignores SIGCHLD, so the kernel has reaped it. */
	return n == between && status ? err_set(e, ERR_LIMIT, "fork %s", EGRESS_PROGRAM) : 0;
}

/* On v2 the child is born in the group: moving it later would wait for others. */
static pid_t egress_process_fork(const struct cgroup_network *group)
{
	struct clone_args args = {.exit_signal = SIGCHLD};

	if (group->birth >= 0) {
		args.flags = CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)group->birth;
	}
	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static int egress_process_refused(const struct cgroup_network *group, struct err *e)
{
	const bool may_not = group->birth >= 0 && (errno == EACCES || errno == EPERM);

	err_sys(e, "fork %s", EGRESS_PROGRAM);
	return may_not ? err_set(e, ERR_UNSUPPORTED,
				 "%s cannot join the sandbox's control group: start this command "
				 "where the group was delegated (systemd-run --user --scope -p "
				 "Delegate=yes)",
				 EGRESS_PROGRAM)
		       : -1;
}

/* Runs: a child. */
__attribute__((noreturn)) static void egress_process_begin(const struct egress_program *p,
							   const struct cgroup_network *group,
							   pid_t parent)
{
	if (p->life == EGRESS_APART) {
		const pid_t apart = fork();

		if (apart)
			_exit(apart < 0 ? EXIT_OUR : 0);
	} else {
		egress_process_die_with(parent);
	}
	if (cgroup_network_join(group))
		_exit(EXIT_OUR);
	egress_process_become(p->path, p->control, p->sockets);
}

int egress_process_start(const struct egress_program *p, const struct cgroup *group, pid_t *out,
			 struct err *e)
{
	__attribute__((cleanup(cgroup_network_close))) struct cgroup_network network;
	const pid_t self = getpid();
	pid_t pid;

	/* It needs /dev/null for its streams, and could not report its absence. */
	if (cgroup_network_open(group, &network, e) || device_check(devices, e))
		return -1;
	pid = egress_process_fork(&network);
	if (pid < 0)
		return egress_process_refused(&network, e);
	if (pid == 0)
		egress_process_begin(p, &network, self);
	*out = pid;
	return p->life == EGRESS_APART ? egress_process_part(pid, out, e) : 0;
}

void egress_process_end(pid_t pid)
{
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (pidfd >= 0 && !fd_await(pidfd, POLLIN, monotonic_us() + END_US)) {
		kill(pid, SIGKILL); /* not our child; `run` may not kill it */
		(void)fd_await(pidfd, POLLIN, monotonic_us() + END_US);
	}
	(void)waitpid(pid, NULL, WNOHANG);
}
