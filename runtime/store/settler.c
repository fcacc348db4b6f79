/*
 * settler - sync changes of the store in a child, and notify the waiters.
 */
#include "store/settler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/keep_fds.h"
#include "base/own.h"

/* -- waiters --------------------------------------------------------------------------------- */

void settler_forget(struct settler *s, struct settling *x)
{
	if (x->is_waiting)
		TAILQ_REMOVE(&s->waiters, x, link);
	x->is_waiting = false;
}

/* A notified waiter may ask again, and may remove others. */
static void settler_tell(struct settler *s, const struct err *failure)
{
	struct settling *x;

	while ((x = TAILQ_FIRST(&s->waiters)) && x->is_served) {
		settler_forget(s, x);
		x->settled(x->context, failure);
	}
}

void settler_ask(struct settler *s, struct settling *x)
{
	TAILQ_INSERT_TAIL(&s->waiters, x, link);
	x->is_waiting = true;
	x->is_served = false;
	if (!s->pid)
		hub_ring(s->hub, &s->begin, 0);
}

/* -- the child ------------------------------------------------------------------------------- */

/* Testing build only: wait until a test opens and closes a FIFO. */
static void settler_stop(void)
{
#ifdef GLOVEBOX_TESTING
	const char *gate = getenv("GLOVEBOX_SETTLE_GATE");
	auto_fd int fd = gate ? open(gate, O_RDONLY | O_CLOEXEC) : -1;
	char byte;

	while (fd >= 0 && read(fd, &byte, 1) > 0)
		;
#endif
}

static int settler_settle(const struct settler *s, struct err *e)
{
	const struct settling *x;

	TAILQ_FOREACH (x, &s->waiters, link) {
		if (x->is_served && file_store_land(s->files, x->uploads, x->count, e))
			return -1;
	}
	return file_store_land_names(s->files, e);
}

_Noreturn static void settler_child(const struct settler *s, pid_t parent)
{
	int kept[FILE_STORE_LAND_FDS];
	struct err e;

	file_store_land_fds(s->files, kept);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || keep_fds(STDERR_FILENO + 1, kept, FILE_STORE_LAND_FDS))
		_exit(EIO);
	settler_stop();
	_exit(settler_settle(s, &e) ? e.number : 0);
}

/* -- one child after the other --------------------------------------------------------------- */

static int settler_failure(struct err *e, int number)
{
	errno = number;
	return err_sys(e, "write files to the disk");
}

/* Collect the child, which has ended or is about to. */
static int settler_reap(struct settler *s, struct err *e)
{
	int status = 0;
	int bad = waitpid(s->pid, &status, 0) == s->pid && WIFEXITED(status) ? WEXITSTATUS(status)
									     : EIO;

	hub_unwatch(s->hub, &s->ended);
	own_close(&s->pidfd);
	s->pid = 0;
	return bad ? settler_failure(e, bad) : 0;
}

static void settler_ended(void *context, uint32_t events)
{
	struct settler *s = context;
	struct err e;
	int bad = settler_reap(s, &e);

	(void)events;
	settler_tell(s, bad ? &e : NULL);
	if (!TAILQ_EMPTY(&s->waiters))
		hub_ring(s->hub, &s->begin, 0);
}

static int settler_start(struct settler *s, struct err *e)
{
	const pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0)
		settler_child(s, parent);
	if (pid < 0)
		return err_sys(e, "make a process");
	s->pid = pid;
	s->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (s->pidfd < 0)
		err_sys(e, "make a process");
	else if (!hub_watch(s->hub, &s->ended, s->pidfd, EPOLLIN, e))
		return 0;
	kill(pid, SIGKILL);
	(void)settler_reap(s, &(struct err){0});
	return -1;
}

static void settler_begin(void *context)
{
	struct settler *s = context;
	struct settling *x;
	struct err e;

	if (s->pid || TAILQ_EMPTY(&s->waiters))
		return;
	TAILQ_FOREACH (x, &s->waiters, link)
		x->is_served = true;
	if (settler_start(s, &e))
		settler_tell(s, &e);
}

void settler_init(struct settler *s, struct hub *hub, const struct file_store *files)
{
	*s = (struct settler){.hub = hub, .files = files, .pidfd = -1, .ended.fd = -1};
	TAILQ_INIT(&s->waiters);
	s->begin = (struct hub_timer){.ring = settler_begin, .context = s};
	s->ended = (struct hub_watch){.ready = settler_ended, .context = s, .fd = -1};
}

void settler_fini(struct settler *s)
{
	if (!s->hub)
		return;
	hub_silence(s->hub, &s->begin);
	hub_unwatch(s->hub, &s->ended);
	if (s->pid)
		kill(s->pid, SIGKILL); /* not reaped yet, so the pid is still its own */
	own_close(&s->pidfd);
}
