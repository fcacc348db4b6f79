/*
 * chamber_log - show what a chamber prints, without terminal control sequences.
 */
#include "chamber_log.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "interrupt.h"

void chamber_log_defuse(char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\r')
			bytes[i] = ' ';
		else if (bytes[i] != '\n' && bytes[i] != '\t' && (bytes[i] < ' ' || bytes[i] > '~'))
			bytes[i] = '?';
	}
}

/* Ends with the last writer, or is killed by our parent. A terminal's signals go to the parent. */
static _Noreturn void chamber_log_copy(int from)
{
	char bytes[4096];
	ssize_t n;

	setpgid(0, 0);
	interrupt_reset();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(from, STDIN_FILENO) < 0)
		_exit(1);
	close_range(3, ~0u, 0);
	while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
		chamber_log_defuse(bytes, (size_t)n);
		if (io_write_all(STDERR_FILENO, bytes, (size_t)n))
			break;
	}
	_exit(0);
}

int chamber_log_start(struct chamber_log *out, struct err *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "pipe");
	out->pid = fork();
	if (out->pid == 0) {
		close(ends[1]);
		chamber_log_copy(ends[0]);
	}
	close(ends[0]);
	out->fd = ends[1];
	if (out->pid > 0)
		return 0;
	own_close(&out->fd);
	return err_sys(e, "fork");
}

void chamber_log_finish(pid_t pid, bool abandon)
{
	auto_fd int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	while (fd >= 0 && !abandon && !interrupt_signal() && !interrupt_await(fd))
		;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
