/*
 * chamber_inside - pid 1 of a chamber: make its root, become its root user, start the program.
 */
#include "chamber_inside.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "base/say.h"
#include "chamber_filter.h"
#include "loop/fd.h"
#include "sandbox/egress_sockets.h"

#define EXIT_OF_TASK 125

static int chamber_inside_await_go(int go, struct err *e)
{
	char byte;
	ssize_t n;

	while ((n = read(go, &byte, 1)) < 0 && errno == EINTR)
		;
	return n == 1 ? 0 : err_sys(e, "wait for ids");
}

/*
 * Become root of this namespace, an id that no user of the host has. Processes in here cannot read
 * the builder's memory in this process: it was made in the host's user namespace, and is not
 * dumpable.
 */
static int chamber_inside_become_root(int go, struct err *e)
{
	if (setgroups(0, NULL) || setresgid(0, 0, 0) || setresuid(0, 0, 0))
		return err_sys(e, "take the ids of the build");
	/*
	 * Changing ids clears the parent-death signal, so set it now, and then check whether the
	 * builder has already died.
	 */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || prctl(PR_SET_DUMPABLE, 0))
		return err_sys(e, "prctl");
	if (fd_is_ready(go, 0))
		return err_set(e, ERR_SYSTEM, "the builder is gone");
	return 0;
}

/*
 * Drop inherited things that have no namespace: the terminal, keys, core dumps (a limit of 1 also
 * stops a pipe).
 */
static int chamber_inside_let_go_of_host(struct err *e)
{
	static const struct rlimit no_core = {1, 1};

	if (setsid() < 0 && errno != EPERM)
		return err_sys(e, "setsid");
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS)
		return err_sys(e, "make a keyring");
	umask(022);
	return setrlimit(RLIMIT_CORE, &no_core) ? err_sys(e, "setrlimit") : 0;
}

static int chamber_inside_raise_loopback(struct err *e)
{
	auto_fd int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};

	return fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) ? err_sys(e, "raise lo") : 0;
}

/* Null-terminated for execvpe(); exec frees it. */
static char **chamber_inside_vector(const struct list *l)
{
	char **items = own_zeroed(l->count + 1, sizeof(*items));

	for (size_t i = 0; i < l->count; i++)
		items[i] = l->items[i];
	return items;
}

static int chamber_inside_arrange(const struct chamber_step *step, const struct chamber_ends *ends,
				  struct err *e)
{
	auto_fd int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int input = step->input ? *step->input : null;

	if (null < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(ends->out, STDOUT_FILENO) < 0 ||
	    dup2(ends->log, STDERR_FILENO) < 0 || close_range(3, ~0u, CLOSE_RANGE_CLOEXEC))
		return err_sys(e, "arrange descriptors");
	return chamber_filter_apply(step->network, e);
}

static _Noreturn void chamber_inside_run_task(const struct chamber_step *step)
{
	struct err e = {0};

	close_range(3, ~0u, 0);
	if (!step->task(step->context, &e))
		_exit(0);
	say_error(&e);
	_exit(EXIT_OF_TASK);
}

static _Noreturn void chamber_inside_run_program(const struct chamber_step *step,
						 const struct chamber_ends *ends)
{
	char **argv = chamber_inside_vector(&step->argv);
	char **env = chamber_inside_vector(&step->env);
	struct err e = {0};

	if (!chamber_inside_arrange(step, ends, &e)) {
		if (step->task)
			chamber_inside_run_task(step);
		execvpe(step->argv.items[0], argv, env);
		err_sys(&e, "execute %s", step->argv.items[0]);
	}
	if (write(ends->report, &e, sizeof(e)) != sizeof(e))
		_exit(127);
	_exit(126);
}

/* Reap until the program ends; then exit, and the kernel kills everything in here. */
static _Noreturn void chamber_inside_reap(pid_t program)
{
	for (;;) {
		int status;
		pid_t pid = wait(&status);

		if (pid < 0 && errno != EINTR)
			_exit(127);
		if (pid != program)
			continue;
		_exit(process_exit_code(status));
	}
}

static int chamber_inside_set_network(const struct chamber_step *step,
				      const struct chamber_ends *ends, struct err *e)
{
	if (step->network)
		return 0;
	if (chamber_inside_raise_loopback(e))
		return -1;
	return step->egress ? egress_sockets_hand_over(step->egress, ends->network, e) : 0;
}

void chamber_inside(const struct chamber_step *step, const struct chamber_ends *ends, struct err *e)
{
	struct chamber_root root;
	pid_t program;

	/*
	 * First open files that only the caller may read, then make the root, which only root in
	 * here may.
	 */
	if (chamber_inside_await_go(ends->go, e) || chamber_root_open(&root, step->inputs, e) ||
	    chamber_inside_become_root(ends->go, e) || chamber_inside_let_go_of_host(e) ||
	    chamber_root_make(&root, e) || chamber_inside_set_network(step, ends, e))
		return;
	program = fork();
	if (program < 0) {
		err_sys(e, "fork");
		return;
	}
	if (program == 0)
		chamber_inside_run_program(step, ends);
	/* Close all our descriptors: harmless, but useless in here. */
	close_range(0, ~0u, 0);
	chamber_inside_reap(program);
}
