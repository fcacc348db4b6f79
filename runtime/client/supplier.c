/*
 * supplier - find or start the warm supervisor that gives a face its cells.
 */
#include "client/supplier.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "cgroup/cgroup_try.h"
#include "client/client.h"
#include "client/program_path.h"
#include "client/registry.h"
#include "client/supplier_dir.h"
#include "client/supplier_said.h"
#include "image/image.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "loop/loop.h"
#include "namespace/idblock.h"
#include "sandbox/spawn.h"
#include "spec/preload.h"
#include "wire/operations.h"
#include "wire/runtime_dir.h"

#define GRACE_MS    5000 /* for a supervisor to exit */
#define WATCHDOG_MS (GRACE_MS + CHILD_END_MS + 1000)
#define FIRST_FD    3 /* of socket activation: sd_listen_fds(3) */
#define LOCK_FD     4 /* of the directory */
#define ARGUMENTS   16

/* -- the watchdog ------------------------------------------------------------------------------ */

static int supplier_pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Runs: the process that becomes the supervisor. */
static void supplier_become_supervisor(const struct supplier *w, pid_t parent, int listen_fd,
				       int null)
{
	char pool[24];
	const char *argv[ARGUMENTS] = {"glovebox",    "warm",  "serve",   "--pool",       pool,
				       "--idle-exit", "never", "--image", w->terms.image, NULL};
	size_t count = 9;
	char path[PROGRAM_PATH_SIZE];
	char pid[24];

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL);
	if (program_path(path) || getppid() != parent)
		_exit(125);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	snprintf(pool, sizeof(pool), "%u", w->terms.pool);
	if (w->terms.trust_image)
		argv[count++] = "--trust-image";
	if (w->terms.preload) {
		argv[count++] = "--preload";
		argv[count++] = w->terms.preload;
	}
	setenv("XDG_RUNTIME_DIR", w->directory, 1);
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

/* Runs: the watchdog. It waits for the supervisor, but not for one that is stuck in the kernel. */
static void supplier_end_supervisor(pid_t pid, int pidfd)
{
	struct child supervisor = child_none();

	kill(pid, SIGTERM);
	if (!fd_await(pidfd, POLLIN, monotonic_us() + GRACE_MS * 1000ull))
		kill(pid, SIGKILL);
	supervisor.pid = pid;
	supervisor.pidfd = pidfd;
	child_wait(&supervisor, NULL);
}

/* Runs: the watchdog. */
static void supplier_keep(struct supplier *w, int listen_fd, int agent, int dir_lock)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t self = getpid();
	struct loop either = loop_none();
	struct pollfd fds[2];
	sigset_t none;
	pid_t pid;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "warm-watchdog");
	pid = fork();
	if (pid == 0)
		supplier_become_supervisor(w, self, listen_fd, null);
	/* From here on only the pipe and the lock of the face's descriptors stay open. */
	dir_lock = fcntl(dir_lock, F_DUPFD_CLOEXEC, LOCK_FD + 1);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	dup2(agent, FIRST_FD);
	dup2(dir_lock, LOCK_FD);
	close_range(LOCK_FD + 1, UINT_MAX, 0);
	if (pid > 0) {
		int pidfd = supplier_pidfd_of(pid);

		fds[0] = (struct pollfd){.fd = FIRST_FD, .events = POLLIN};
		fds[1] = (struct pollfd){.fd = pidfd, .events = POLLIN};
		loop_arrange(&either, fds, 2, LOOP_NEVER);
		do
			loop_wait(&either, -1);
		while (!either.has_looked);
		supplier_end_supervisor(pid, pidfd);
	}
	supplier_dir_remove(w->directory);
	_exit(0);
}

/* -- starting one ---------------------------------------------------------------------------- */

/*
 * Check image and limits first, so that errors precede the face's own work (asking a model). The
 * supervisor checks them again.
 */
static int supplier_check_image(const struct supplier *w, struct err *e)
{
	struct image image;
	int status;

	if (image_open(w->terms.image, &image, e))
		return -1;
	status = image_check_warm(&image, w->terms.trust_image, e);
	image_close(&image);
	return status;
}

/* Check everything that is visible before a start. */
static int supplier_check(const struct supplier *w, struct err *e)
{
	return cgroup_try(CGROUP_DEFAULT, e) || supplier_check_image(w, e) ? -1 : 0;
}

/* Forks, and does not wait. */
static int supplier_start(struct supplier *w, struct err *e)
{
	auto_fd int listen_fd = -1;
	auto_fd int lock_fd = -1;
	auto_fd int theirs = -1;
	auto_fd int dir_lock = supplier_dir_make(w->directory, sizeof(w->directory), e);
	int ends[2];

	if (dir_lock < 0)
		return -1;
	w->said = memfd_create("said", MFD_CLOEXEC);
	if (w->said < 0 || pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe");
	theirs = ends[0];
	w->pipe = ends[1];
	if (runtime_dir_listen(w->directory, &listen_fd, &lock_fd, e))
		return -1;
	own_close(&lock_fd); /* the supervisor locks it again */
	w->watchdog = fork();
	if (w->watchdog < 0)
		return err_sys(e, "fork the watchdog of the warm supervisor");
	if (w->watchdog == 0) {
		close(w->pipe);
		supplier_keep(w, listen_fd, theirs, dir_lock);
	}
	w->own = true;
	return 0;
}

/* Wait longer than the watchdog waits itself. Leave one that is stuck, or stopped, behind. */
static bool supplier_await_watchdog(pid_t watchdog)
{
	auto_fd int pidfd = supplier_pidfd_of(watchdog);

	if (pidfd >= 0)
		(void)fd_await(pidfd, POLLIN, monotonic_us() + WATCHDOG_MS * 1000ull);
	return waitpid(watchdog, NULL, pidfd < 0 ? 0 : WNOHANG) == watchdog;
}

static void supplier_stop(struct supplier *w)
{
	own_close(&w->pipe);
	/* The watchdog removes the directory itself, unless it was killed. */
	if ((w->watchdog <= 0 || supplier_await_watchdog(w->watchdog)) && w->directory[0])
		supplier_dir_remove(w->directory);
	w->watchdog = 0;
	w->directory[0] = '\0';
	own_close(&w->said);
}

/* -- asking the one there is --------------------------------------------------------------- */

const char *supplier_where(const struct supplier *w)
{
	return w->own ? w->directory : NULL;
}

void supplier_list(struct supplier *w, const struct registration *place)
{
	w->place = place;
	if (place)
		registry_name_supervisor(place, supplier_where(w));
}

bool supplier_suits(const struct supplier *w, const struct status_answer *status)
{
	return !strcmp(status->image, w->terms.image) &&
	       (!w->terms.preload || !strcmp(status->preload, w->terms.preload));
}

static bool supplier_users_fits(const struct supplier *w)
{
	struct op_answer answer;
	struct err ignored;
	bool fits;

	if (client_ask_once(NULL, OP_STATUS, NULL, &answer, &ignored))
		return false;
	fits = supplier_suits(w, &answer.status);
	op_answer_fini(&answer);
	return fits;
}

/* Wait for the watchdog, and so for the supervisor, whose error is wanted. */
static bool supplier_ends_within(const struct supplier *w, int ms)
{
	return w->own && fd_await(w->pipe, 0, monotonic_us() + (uint64_t)ms * 1000);
}

bool supplier_has_ended(const struct supplier *w)
{
	return supplier_ends_within(w, 0);
}

bool supplier_is_ready(const struct supplier *w)
{
	struct op_answer answer;
	struct err ignored;
	bool ready;

	if (supplier_has_ended(w) ||
	    client_ask_once(supplier_where(w), OP_STATUS, NULL, &answer, &ignored))
		return true;
	ready = answer.status.ready > 0;
	op_answer_fini(&answer);
	return ready;
}

struct ask *supplier_ask_ready(const struct supplier *w)
{
	static const struct ready_request request = {SESSION_WAIT_MS};

	return ask_start(supplier_where(w), -1, OP_READY, &request, NULL, 0);
}

int supplier_open(const struct supplier_terms *terms, struct supplier *out, struct err *e)
{
	*out = (struct supplier){.terms = *terms, .pipe = -1, .said = -1};
	out->terms.image = own_strdup(terms->image);
	out->terms.preload = own_strdup(terms->preload);
	if (!preload_check(terms->preload, e) &&
	    (supplier_users_fits(out) || (!supplier_check(out, e) && !supplier_start(out, e))))
		return 0;
	supplier_close(out);
	return -1;
}

/* -- another one ------------------------------------------------------------------------------- */

/* @endings: receives the watchdog of our own supervisor; NULL for the user's. */
static void supplier_leave(struct supplier *w, struct endings *endings)
{
	const bool has_ended = supplier_has_ended(w);
	struct ending watchdog = ending_none();

	own_close(&w->pipe);
	own_close(&w->said);
	if (!w->own || !endings)
		return;
	watchdog.child = w->watchdog;
	watchdog.pidfd = supplier_pidfd_of(w->watchdog);
	watchdog.held = !has_ended;
	endings_take(endings, &watchdog);
	/* A watchdog that was killed did not do so. */
	if (has_ended)
		supplier_dir_remove(w->directory);
}

int supplier_restart(struct supplier *w, struct endings *endings, struct err *e)
{
	struct supplier next = {.terms = w->terms, .pipe = -1, .said = -1, .place = w->place};

	if (supplier_start(&next, e)) {
		supplier_stop(&next);
		return -1;
	}
	supplier_leave(w, endings);
	*w = next;
	supplier_list(w, w->place);
	return 0;
}

void supplier_take_users(struct supplier *w, struct endings *endings)
{
	supplier_leave(w, endings);
	w->own = false;
	w->watchdog = 0;
	w->directory[0] = '\0';
	supplier_list(w, w->place);
}

int supplier_fall_back(struct supplier *w, struct err *e)
{
	return w->own ? -1 : supplier_restart(w, NULL, e);
}

/* -- its end --------------------------------------------------------------------------------- */

void supplier_tell(struct supplier *w)
{
	if (w->own && !w->has_told)
		supplier_said_left_out(w->said);
	w->has_told = true;
}

void supplier_last_words(const struct supplier *w, struct err *e)
{
	supplier_said_last(w->said, e);
}

void supplier_explain(const struct supplier *w, struct err *e)
{
	(void)supplier_ends_within(w, SUPPLIER_LAST_WORDS_MS);
	supplier_last_words(w, e);
}

void supplier_close(struct supplier *w)
{
	supplier_stop(w);
	free((char *)w->terms.image);
	free((char *)w->terms.preload);
	*w = (struct supplier){.pipe = -1, .said = -1};
}

bool supplier_end(struct supplier *w, unsigned ms)
{
	auto_fd int pidfd = w->watchdog > 0 ? supplier_pidfd_of(w->watchdog) : -1;

	own_close(&w->pipe);
	return pidfd < 0 || fd_await(pidfd, POLLIN, monotonic_us() + ms * 1000ull);
}

bool supplier_shares_ids(struct err *why)
{
	struct idblock ids;
	bool shares;

	if (geteuid() == 0)
		return false;
	shares = idblock_open(&ids, why);
	idblock_close(&ids);
	return shares;
}
