/*
 * process - the process-wide state: its signals, its priority and its children.
 */
#include "base/process.h"

#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first FOR_US end a command, or resize its terminal. */
static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGWINCH,
			      SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};
#define FOR_US 5

/* Does nothing: the signal only has to interrupt a call. */
static void process_on_alarm(int number)
{
	(void)number;
}

static void process_take_alarm(void)
{
	const struct sigaction action = {.sa_handler = process_on_alarm}; /* no SA_RESTART */
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool process_has_alarm(void)
{
	struct sigaction action;

	return !sigaction(SIGALRM, NULL, &action) && action.sa_handler == process_on_alarm;
}

static int process_watch(size_t count, bool orders, int *out_fd, struct err *e)
{
	sigset_t set;

	sigemptyset(&set);
	if (orders)
		sigaddset(&set, SIGRTMIN);
	for (size_t i = 0; i < count; i++) {
		struct sigaction action;

		/* nohup and a shell's background jobs ignore some signals on purpose. */
		if (!sigaction(numbers[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&set, numbers[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	/*
	 * With an inherited SIG_IGN for SIGCHLD, children would vanish without a status (wait(2)).
	 */
	signal(SIGCHLD, SIG_DFL);
	process_take_alarm();
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_sys(e, "block signals");
	*out_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *out_fd < 0 ? err_sys(e, "watch signals") : 0;
}

int process_signals(int *out_fd, struct err *e)
{
	return process_watch(FOR_US, false, out_fd, e);
}

int process_signals_of_run(bool forward, int *out_fd, struct err *e)
{
	return process_watch(forward ? sizeof(numbers) / sizeof(numbers[0]) : FOR_US, true, out_fd,
			     e);
}

int process_order(int pidfd, int order)
{
	siginfo_t info = {.si_signo = SIGRTMIN, .si_code = SI_QUEUE};

	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = order;
	return (int)syscall(SYS_pidfd_send_signal, pidfd, SIGRTMIN, &info, 0);
}

int process_signal_of(const struct signalfd_siginfo *info)
{
	bool known = info->ssi_int >= PROCESS_STOP && info->ssi_int <= PROCESS_STOP_SIGNAL;

	if ((int)info->ssi_signo != SIGRTMIN)
		return (int)info->ssi_signo;
	return PROCESS_ORDERED + (known ? info->ssi_int : PROCESS_STOP);
}

int process_send(int pidfd, int number)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0);
}

int process_reap(pid_t pid, int options)
{
	int status = 0;

	while (waitpid(pid, &status, options) < 0 && errno == EINTR)
		;
	return status;
}

int process_exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void process_normal_priority(void)
{
	if (geteuid() == 0 || getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

void process_choose_locale(void)
{
	if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
}
