/*
 * warm - the warm supervisor from which the agent takes its cells.
 */
#include "agent/run/warm.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/own.h"
#include "cell/client.h"
#include "cell/runtime_dir.h"
#include "host/image.h"

#define GRACE_MS      5000 /* for a supervisor that was told to end */
#define FIRST_FD      3    /* of socket activation: sd_listen_fds(3) */
#define SAID_MAX      400
#define LAST_WORDS_MS 300

/* -- the keeper ------------------------------------------------------------------------------ */

static int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Runs: the supervisor to be. */
static void become_supervisor(const struct warm *w, pid_t parent, int listen_fd, int null)
{
	const char *const argv[] = {"glovebox", "warm",
				    "serve",    "--pool",
				    "1",        "--idle-exit",
				    "never",    "--image",
				    w->image,   w->trust_image ? "--trust-image" : NULL,
				    NULL};
	char path[PATH_MAX + 16];
	char self[PATH_MAX];
	char pid[24];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL);
	if (n < 0 || getppid() != parent)
		_exit(125);
	self[n] = '\0';
	snprintf(path, sizeof(path), "%s/glovebox", dirname(self));
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", "1", 1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(w->said, STDERR_FILENO);
	if (listen_fd == FIRST_FD)
		fcntl(FIRST_FD, F_SETFD, 0);
	else
		dup2(listen_fd, FIRST_FD);
	execv(path, (char *const *)argv);
	dprintf(STDERR_FILENO, "run %s: %s\n", path, strerror(errno));
	_exit(125);
}

/* What the supervisor and runtime_dir_listen() make there. */
static void remove_directory(const char *directory)
{
	static const char *const names[] = {"glovebox/warm.sock", "glovebox/lock", "glovebox", ""};
	char path[320];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		(void)remove(path);
	}
}

/* Runs: the keeper. */
static void keep(struct warm *w, int listen_fd, int agent)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t self = getpid();
	struct pollfd fds[2];
	sigset_t none;
	pid_t pid;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "agent-keeper");
	pid = fork();
	if (pid == 0)
		become_supervisor(w, self, listen_fd, null);
	/* From here on nothing of the agent's is held open, but for the pipe. */
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	dup2(agent, FIRST_FD);
	close_range(FIRST_FD + 1, UINT_MAX, 0);
	if (pid > 0) {
		int pidfd = pidfd_of(pid);

		fds[0] = (struct pollfd){.fd = FIRST_FD, .events = POLLIN};
		fds[1] = (struct pollfd){.fd = pidfd, .events = POLLIN};
		while (poll(fds, 2, -1) < 0)
			;
		kill(pid, SIGTERM);
		if (poll(&fds[1], 1, GRACE_MS) == 0)
			kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	remove_directory(w->directory);
	_exit(0);
}

/* -- starting one ---------------------------------------------------------------------------- */

static int make_directory(struct warm *w, struct err *e)
{
	const char *base = getenv("TMPDIR");

	if (!base || base[0] != '/' || strlen(base) > sizeof(w->directory) - 24)
		base = "/tmp";
	snprintf(w->directory, sizeof(w->directory), "%s/glovebox-agent-XXXXXX", base);
	if (!mkdtemp(w->directory))
		return err_sys(e, "make a directory in %s", base);
	if (setenv("XDG_RUNTIME_DIR", w->directory, 1))
		return err_sys(e, "set XDG_RUNTIME_DIR");
	return 0;
}

/* The supervisor looks itself; but it speaks late, when a model has been asked already. */
static int check_image(const struct warm *w, struct err *e)
{
	struct image image;
	int status;

	if (image_open(w->image, &image, e))
		return -1;
	status = image_check_warm(&image, w->trust_image, e);
	image_close(&image);
	return status;
}

static int start(struct warm *w, struct err *e)
{
	auto_fd int listen_fd = -1;
	auto_fd int lock_fd = -1;
	auto_fd int theirs = -1;
	int ends[2];

	if (check_image(w, e) || make_directory(w, e))
		return -1;
	w->said = memfd_create("said", MFD_CLOEXEC);
	if (w->said < 0 || pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe");
	theirs = ends[0];
	w->pipe = ends[1];
	if (runtime_dir_listen(&listen_fd, &lock_fd, e))
		return -1;
	own_close(&lock_fd); /* the supervisor takes it itself; nobody else knows the directory */
	w->keeper = fork();
	if (w->keeper < 0)
		return err_sys(e, "fork the keeper of the warm supervisor");
	if (w->keeper == 0) {
		close(w->pipe);
		keep(w, listen_fd, theirs);
	}
	w->own = true;
	return 0;
}

static void stop(struct warm *w)
{
	own_close(&w->pipe);
	if (w->keeper > 0)
		waitpid(w->keeper, NULL, 0);
	else if (w->directory[0])
		remove_directory(w->directory);
	w->keeper = 0;
	w->directory[0] = '\0';
	own_close(&w->said);
}

/* -- asking the one there is --------------------------------------------------------------- */

/* NULL: nobody answers. */
static struct json *ask_status(void)
{
	static char text[] = "{\"op\":\"status\"}";
	const struct buf request = {.data = text, .length = sizeof(text) - 1};
	auto_fd int socket = -1;
	struct wire_message answer;
	struct json *json;
	struct err e;

	if (client_connect(&socket, &e) ||
	    client_ask(socket, &request, NULL, 0, &answer, &json, &e))
		return NULL;
	wire_fini(&answer);
	return json;
}

static bool users_fits(const char *image)
{
	auto_json struct json *status = ask_status();
	const char *its = status ? json_string(json_get(status, "image")) : NULL;

	return its && !strcmp(its, image);
}

/* The keeper is gone, and so is the supervisor: the error should be seen. */
static bool ends_within(const struct warm *w, int ms)
{
	struct pollfd fd = {.fd = w->pipe, .events = 0};

	return w->own && poll(&fd, 1, ms) > 0;
}

bool warm_has_ended(const struct warm *w)
{
	return ends_within(w, 0);
}

bool warm_is_ready(const struct warm *w)
{
	auto_json struct json *status = warm_has_ended(w) ? NULL : ask_status();
	uint64_t ready = 0;

	return !status || (!json_number(json_get(status, "ready"), &ready) && ready > 0);
}

bool warm_is_starting(const struct warm *w)
{
	auto_json struct json *status = warm_has_ended(w) ? NULL : ask_status();
	const struct json *state = status ? json_get(status, "state") : NULL;

	return state && json_string(state) && !strcmp(json_string(state), "starting");
}

int warm_open(const char *image, bool trust_image, struct warm *out, struct err *e)
{
	*out = (struct warm){.trust_image = trust_image, .pipe = -1, .said = -1};
	out->image = own_strdup(image);
	if (users_fits(image) || !start(out, e))
		return 0;
	warm_close(out);
	return -1;
}

int warm_fall_back(struct warm *w, struct err *e)
{
	return w->own ? -1 : start(w, e);
}

void warm_explain(const struct warm *w, struct err *e)
{
	static const char name[] = "glovebox: ";
	char text[SAID_MAX];
	const char *said = text;
	ssize_t n;

	/* It closes its socket first, and says then why. */
	(void)ends_within(w, LAST_WORDS_MS);
	n = w->said < 0 ? 0 : pread(w->said, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(text, name, strlen(name)))
		said += strlen(name);
	err_fill(e, ERR_SYSTEM, "%s", said);
}

void warm_close(struct warm *w)
{
	stop(w);
	free(w->image);
	*w = (struct warm){.pipe = -1, .said = -1};
}
