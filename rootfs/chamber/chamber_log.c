/*
 * chamber_log - show a chamber's output, without terminal control sequences.
 */
#include "chamber_log.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/process.h"
#include "progress.h"
#include "rootfs/archive/interrupt.h"

#define KEPT_BYTES 65536
#define KEPT_FD    3 /* in the log's process */

void chamber_log_defuse(char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\r')
			bytes[i] = ' ';
		else if (bytes[i] != '\n' && bytes[i] != '\t' && (bytes[i] < ' ' || bytes[i] > '~'))
			bytes[i] = '?';
	}
}

/* The end of a step's output. */
struct kept {
	char bytes[KEPT_BYTES];
	size_t length;
};

static void chamber_log_keep(struct kept *k, const char *bytes, size_t length)
{
	size_t over = k->length + length > KEPT_BYTES ? k->length + length - KEPT_BYTES : 0;

	memmove(k->bytes, k->bytes + over, k->length - over);
	k->length -= over;
	memcpy(k->bytes + k->length, bytes, length);
	k->length += length;
}

static _Noreturn void chamber_log_copy(const char *step, int kept_fd)
{
	struct kept kept = {.length = 0};
	char bytes[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
		chamber_log_defuse(bytes, (size_t)n);
		if (kept_fd < 0 && io_write_all(STDERR_FILENO, bytes, (size_t)n))
			break;
		chamber_log_keep(&kept, bytes, (size_t)n);
		progress_draw(step, bytes, (size_t)n);
	}
	progress_clear();
	if (kept_fd >= 0)
		(void)io_write_all(kept_fd, kept.bytes, kept.length);
	_exit(0);
}

/* Exits with the last writer, or is killed by our parent. A terminal's signals go to the parent. */
static _Noreturn void chamber_log_process(const char *step, int from, int kept)
{
	setpgid(0, 0);
	interrupt_reset();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(from, STDIN_FILENO) < 0 || (kept >= 0 && dup2(kept, KEPT_FD) < 0))
		_exit(1);
	close_range(kept >= 0 ? KEPT_FD + 1 : KEPT_FD, ~0u, 0);
	chamber_log_copy(step, kept >= 0 ? KEPT_FD : -1);
}

int chamber_log_start(const char *step, struct chamber_log *out, struct err *e)
{
	auto_fd int kept = -1;
	int ends[2];

	if (!progress_is_verbose()) {
		kept = memfd_create("glovebox-log", MFD_CLOEXEC);
		if (kept < 0)
			return err_sys(e, "memfd_create");
	}
	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "pipe");
	out->pid = fork();
	if (out->pid == 0) {
		close(ends[1]);
		chamber_log_process(step, ends[0], kept);
	}
	close(ends[0]);
	out->fd = ends[1];
	out->kept_fd = take_fd(&kept);
	if (out->pid > 0)
		return 0;
	own_close(&out->fd);
	own_close(&out->kept_fd);
	return err_sys(e, "fork");
}

void chamber_log_show(int *kept_fd)
{
	auto_fd int fd = take_fd(kept_fd);
	char bytes[4096];
	ssize_t n;

	if (fd < 0 || lseek(fd, 0, SEEK_SET))
		return;
	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		if (io_write_all(STDERR_FILENO, bytes, (size_t)n))
			return;
	}
}

void chamber_log_finish(pid_t pid, bool abandon)
{
	auto_fd int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	while (fd >= 0 && !abandon && !interrupt_signal() && !interrupt_await(fd))
		;
	kill(pid, SIGKILL);
	(void)process_reap(pid, 0);
}
