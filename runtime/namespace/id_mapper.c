/*
 * id_mapper - run newuidmap(1) and newgidmap(1), which map an ordinary user's ranges of /etc/subuid
 * and /etc/subgid.
 */
#include "namespace/id_mapper.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "host/system_program.h"
#include "loop/clock.h"
#include "loop/fd.h"

#define LONGEST_US 10000000 /* the program may ask a directory service for the user */
#define NUMBER     12       /* bytes of a number in decimal */

/* Reset its signals, and discard its output. */
static int id_mapper_spawn(const char *path, char *const argv[], pid_t *out)
{
	char *const none[] = {NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t all;
	sigset_t empty;
	int error;

	sigfillset(&all);
	sigemptyset(&empty);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &empty);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDERR_FILENO);
	error = posix_spawn(out, path, &files, &attributes, argv, none);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* Return its status; kill it when it takes too long. */
static int id_mapper_await(pid_t pid)
{
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (pidfd < 0 || !fd_await(pidfd, POLLIN, monotonic_us() + LONGEST_US))
		kill(pid, SIGKILL);
	return process_reap(pid, 0);
}

int id_mapper_run(const char *program, pid_t pid, const struct id_range *ranges, unsigned count,
		  struct err *e)
{
	char numbers[1 + 3 * ID_MAPPER_RANGES][NUMBER];
	char *argv[3 + 3 * ID_MAPPER_RANGES];
	char path[PATH_MAX];
	unsigned n = 0;
	pid_t child;

	if (system_program_find(program, path))
		return err_set(e, ERR_UNSUPPORTED, "there is no %s (apt-get install uidmap)",
			       program);
	snprintf(numbers[n++], NUMBER, "%d", (int)pid);
	for (unsigned i = 0; i < count; i++) {
		snprintf(numbers[n++], NUMBER, "%u", ranges[i].inside);
		snprintf(numbers[n++], NUMBER, "%u", ranges[i].outside);
		snprintf(numbers[n++], NUMBER, "%u", ranges[i].count);
	}
	argv[0] = path;
	for (unsigned i = 0; i < n; i++)
		argv[1 + i] = numbers[i];
	argv[1 + n] = NULL;
	errno = id_mapper_spawn(path, argv, &child);
	if (errno)
		return err_sys(e, "run %s", path);
	return id_mapper_await(child) ? err_set(e, ERR_UNSUPPORTED,
						"%.100s failed: is it set-uid root, and the range "
						"of /etc/subuid and /etc/subgid ours?",
						path)
				      : 0;
}
