/*
 * verb_child - the process of a command, and our ends of its streams.
 */
#include "service/verb_child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/own.h"
#include "client/program_path.h"

#define NAME    "docker" /* argv[0]: whose words it speaks */
#define TELL    "GLOVEBOX_TELL=3"
#define TELL_FD 3 /* of the child */

/* The child's ends, in the order of its descriptors. */
struct verb_ends {
	int fds[4];
};

static void verb_child_ends_close(struct verb_ends *ends)
{
	for (int i = 0; i < 4; i++)
		own_close(&ends->fds[i]);
}

static int verb_child_pipe(int *ours, int *theirs, bool child_reads, struct err *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe to a command");
	*ours = ends[child_reads];
	*theirs = ends[!child_reads];
	if (fcntl(*ours, F_SETFL, O_NONBLOCK))
		return err_sys(e, "make a pipe to a command");
	return 0;
}

/* A terminal that neither echoes nor edits: the one inside does that. */
static int verb_child_terminal(int *master, int *slave, const struct verb_command *command,
			       struct err *e)
{
	const struct winsize size = {.ws_row = command->rows, .ws_col = command->columns};
	struct termios raw;

	*master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (*master < 0 || grantpt(*master) || unlockpt(*master))
		return err_sys(e, "make a terminal for a command");
	*slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*slave < 0 || tcgetattr(*slave, &raw))
		return err_sys(e, "make a terminal for a command");
	cfmakeraw(&raw);
	return tcsetattr(*slave, TCSANOW, &raw) || ioctl(*master, TIOCSWINSZ, &size)
		       ? err_sys(e, "make a terminal for a command")
		       : 0;
}

static int verb_child_make_ends(struct verb_child *c, const struct verb_command *command,
				struct verb_ends *ends, struct err *e)
{
	static const int descriptors[VERB_STREAMS] = {STDOUT_FILENO, STDERR_FILENO, TELL_FD};

	if (command->terminal && verb_child_terminal(&c->feed, &ends->fds[0], command, e))
		return -1;
	if (!command->terminal && command->feeds &&
	    verb_child_pipe(&c->feed, &ends->fds[0], true, e))
		return -1;
	if (!command->terminal && !command->feeds && command->in < 0)
		ends->fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (ends->fds[0] < 0)
		return err_sys(e, "open /dev/null");
	for (int i = 0; i < VERB_STREAMS; i++) {
		if (verb_child_pipe(&c->streams[i], &ends->fds[descriptors[i]], false, e))
			return -1;
	}
	return 0;
}

/*
 * Its variables are ours, and what it tells. Descriptors are duplicated upwards first: an end may
 * have the number of another's place.
 */
static int verb_child_spawn(pid_t *pid, const struct verb_command *command, struct verb_ends *ends)
{
	const size_t count = command->words->count;
	auto_free char **argv = own_zeroed(count + 2, sizeof(*argv));
	auto_free char **variables = NULL;
	char path[PROGRAM_PATH_SIZE];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	size_t n = 0;
	int error;

	if (program_path(path))
		return ENOENT;
	while (environ[n])
		n++;
	variables = own_zeroed(n + 2, sizeof(*variables));
	variables[0] = (char *)TELL; /* of two with a name the first one counts */
	memcpy(variables + 1, environ, n * sizeof(*variables));
	argv[0] = (char *)NAME;
	memcpy(argv + 1, command->words->items, count * sizeof(*argv));
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&attributes, &none);
	sigaddset(&none, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &none);
	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 4; i++)
		posix_spawn_file_actions_adddup2(&actions, ends->fds[i], i);
	posix_spawn_file_actions_addclosefrom_np(&actions, 4);
	error = posix_spawn(pid, path, &actions, &attributes, argv, variables);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* An end below 4 would be overwritten while the child arranges them. */
static int verb_child_lift(struct verb_ends *ends, struct err *e)
{
	for (int i = 0; i < 4; i++) {
		int fd = ends->fds[i] >= 4 ? ends->fds[i] : fcntl(ends->fds[i], F_DUPFD_CLOEXEC, 4);

		if (fd < 0)
			return err_sys(e, "start a command");
		if (fd != ends->fds[i])
			close(ends->fds[i]);
		ends->fds[i] = fd;
	}
	return 0;
}

int verb_child_start(const struct verb_command *command, struct verb_child *out, struct err *e)
{
	struct verb_ends ends = {
		{command->in, -1, -1, -1}
        };
	int error;

	*out = verb_child_none();
	if (!verb_child_make_ends(out, command, &ends, e) && !verb_child_lift(&ends, e)) {
		error = verb_child_spawn(&out->pid, command, &ends);
		errno = error;
		if (error == E2BIG)
			err_input(e, "a word is longer than 128 KiB, or all are longer than 2 MiB");
		else if (error)
			err_sys(e, "start a command");
	}
	verb_child_ends_close(&ends);
	if (out->pid)
		return 0;
	for (int i = 0; i < VERB_STREAMS; i++)
		own_close(&out->streams[i]);
	own_close(&out->feed);
	return -1;
}
