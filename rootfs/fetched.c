/*
 * fetched - fetch an image from a registry as a docker save archive.
 */
#include "fetched.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "image/image_missing.h"
#include "rootfs/archive/interrupt.h"
#include "rootfs/chamber/chamber_log.h"
#include "rootfs/chamber/progress.h"

#define ARCHIVE_FD 3
#define NO_PROGRAM 127 /* of the child: skopeo is not installed */

/* As in docker, a registry of this machine needs no TLS. */
static bool fetched_is_local(const char *reference)
{
	size_t host = strcspn(reference, ":/");

	if (!strchr(reference, '/'))
		return false; /* a name of the default registry */
	return (host == 9 && !strncmp(reference, "localhost", host)) ||
	       (!strncmp(reference, "127.", 4) && strspn(reference, "0123456789.") == host);
}

/* In the child: all its output goes to the log, its progress on stdout too. */
static _Noreturn void fetched_execute(const struct fetched *f, int to, int log)
{
	auto_free char *source = own_printf("docker://%s", f->reference);
	const char *argv[8] = {"skopeo", "copy", source, "docker-archive:/dev/fd/3"};
	int argc = 4;

	if (fetched_is_local(f->reference))
		argv[argc++] = "--src-tls-verify=false";
	if (f->quiet)
		argv[argc++] = "--quiet";
	interrupt_reset();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	if (to == ARCHIVE_FD)
		fcntl(to, F_SETFD, 0);
	else
		dup2(to, ARCHIVE_FD);
	execvp(argv[0], (char **)argv);
	_exit(NO_PROGRAM);
}

static int fetched_fork(struct fetched *f, int log, struct err *e)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return err_sys(e, "pipe");
	f->fd = fds[0];
	f->pid = fork();
	if (f->pid == 0)
		fetched_execute(f, fds[1], log);
	close(fds[1]);
	if (f->pid > 0)
		return 0;
	f->pid = 0;
	return err_sys(e, "fork");
}

int fetched_start(struct fetched *f, struct err *e)
{
	struct chamber_log log;
	int status;

	/* skopeo quotes the registry: print its messages at once, as printable ASCII. */
	progress_set_verbose(true);
	if (chamber_log_start("pull", &log, e))
		return -1;
	f->log_pid = log.pid;
	status = fetched_fork(f, log.fd, e);
	own_close(&log.fd);
	if (status)
		fetched_end(f);
	return status;
}

/* Print its last messages before ours. */
static void fetched_end_log(struct fetched *f, bool abandon)
{
	if (f->log_pid > 0)
		chamber_log_finish(f->log_pid, abandon);
	f->log_pid = 0;
}

static int fetched_no_program(const struct fetched *f, struct err *e)
{
	struct err other;

	if (!image_missing_is_made_here(f->reference, &other))
		err_set(&other, ERR_NOT_FOUND,
			"import an archive of docker save, \"glovebox image import FILE\"");
	return err_set(e, ERR_NOT_FOUND,
		       "a registry is asked through skopeo, which is not here: \"apt-get install "
		       "skopeo\" as root; or: %s",
		       other.text);
}

int fetched_check(struct fetched *f, struct err *e)
{
	int status = 0;

	while (waitpid(f->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_sys(e, "wait for skopeo");
		if (interrupt_check(e))
			return -1;
	}
	f->pid = 0;
	fetched_end_log(f, false);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM)
		return fetched_no_program(f, e);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return err_input(e, "skopeo could not fetch %s; its own messages are above", f->reference);
}

void fetched_end(struct fetched *f)
{
	if (f->pid > 0) {
		kill(f->pid, SIGKILL);
		(void)process_reap(f->pid, 0);
	}
	f->pid = 0;
	fetched_end_log(f, true);
	own_close(&f->fd);
}
