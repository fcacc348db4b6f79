/*
 * watch - one loop over everything that can happen while a program runs.
 */
#include "host/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "host/cgroup_members.h"
#include "host/socket_count.h"
#include "host/stream.h"
#include "host/terminal.h"

#define NEVER   UINT64_MAX
#define LATE_MS 100 /* between two looks at a reader who may not read */

/* The loop's own state, beside what the caller sees. */
struct loop {
	struct watch *w;
	struct stream in;
	struct stream out[2];
	struct terminal terminal;
	int signal_fd;
	bool gone;          /* reaped */
	bool failed;        /* *e holds the child's report */
	uint64_t deadline;  /* wall limit */
	uint64_t kill_at;   /* after a stop signal */
	uint64_t term_at;   /* timeout(1) would end the program */
	uint64_t cpu_check; /* next look at the processor time */
	uint64_t end_by;    /* it was killed: nobody waits longer */
	struct socket_count sockets;
};

int watch_signals(int *out_fd, struct err *e)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction action;

		/* nohup and background jobs of a shell ignore some on purpose. */
		if (!sigaction(numbers[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&set, numbers[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	/* An ignored SIGCHLD, inherited, would make children vanish without a status (wait(2)). */
	signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_sys(e, "block signals");
	*out_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *out_fd < 0 ? err_sys(e, "watch signals") : 0;
}

static void abandon_output(struct loop *l)
{
	stream_fini(&l->out[0]);
	stream_fini(&l->out[1]);
}

/* All of it at once: pid 1 alone would have to wait for the processor, which the rest may hold. */
static void kill_all(struct loop *l)
{
	const struct watch *w = l->w;

	if (l->end_by == NEVER)
		l->end_by = monotonic_us() + CHILD_END_MS * 1000ull;
	child_kill(w->child);
	if (w->cgroup->layout)
		cgroup_kill(w->cgroup->name, w->cgroup->dirs, w->cgroup->count);
}

static void stop(struct loop *l, int number)
{
	struct watch *w = l->w;
	bool first = !w->cancelled_by;

	if (first)
		w->cancelled_by = number;
	if (first && w->spec->stop_timeout_ms) {
		child_order(w->child, ORDER_SIGNAL, w->spec->stop_signal);
		l->kill_at = monotonic_us() + w->spec->stop_timeout_ms * 1000;
		return;
	}
	kill_all(l);
	/* A second request while output is still being handed on means: now. */
	if (!first)
		abandon_output(l);
}

static void on_signal(struct loop *l)
{
	struct signalfd_siginfo info;

	while (read(l->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			terminal_resize(&l->terminal);
		else
			stop(l, (int)info.ssi_signo);
	}
}

static void on_pty(struct loop *l, int fd)
{
	/* Ours alone. The other side is the program's, which may leave its input where it is. */
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	terminal_open(&l->terminal, fd);
	stream_init(&l->out[0], dup(fd), l->w->forward ? STDOUT_FILENO : -1);
	l->out[0].own_from = true;
	l->out[0].limit = l->w->spec->limits.output_bytes;
	if (l->w->spec->interactive) {
		stream_init(&l->in, STDIN_FILENO, fd);
		l->in.own_to = true;
	} else {
		close(fd);
	}
}

static void on_report(struct loop *l, struct err *e)
{
	struct report r;
	int fd;

	while (child_receive(l->w->child, &r, &fd)) {
		switch (r.kind) {
		case REPORT_ERROR:
			*e = r.error;
			l->failed = true;
			break;
		case REPORT_EXIT:
			l->w->reported = true;
			l->w->status = r.value;
			l->w->usage = r.usage; /* a child of ours tells more when it is reaped */
			break;
		case REPORT_PARTED:
			child_parted(l->w->child);
			socket_count_start(&l->sockets, l->w->child->pidfd,
					   l->w->spec->limits.memory_bytes);
			break;
		case REPORT_FD_STAGE:
			own_close(&l->w->stage_fd);
			l->w->stage_fd = take_fd(&fd);
			break;
		case REPORT_FD_PTY:
			on_pty(l, take_fd(&fd));
			break;
		case REPORT_FD_ROOT: /* closed below */
			break;
		}
		own_close(&fd);
	}
}

static void on_out_of_memory(struct loop *l)
{
	uint64_t events;

	/* Removing the group signals the descriptor too; only a counted event is meant. */
	if (read(l->w->cgroup->oom_fd, &events, sizeof(events)) != (ssize_t)sizeof(events))
		return;
	l->w->memory_exceeded = true;
	kill_all(l);
}

/* pid 1 is dead, and with it everything in its pid namespace. */
static void on_end(struct loop *l, struct err *e)
{
	struct child *c = l->w->child;

	on_report(l, e);
	child_wait(c, &l->w->usage);
	l->gone = true;
	stream_fini(&l->in);
}

/* Processor time can grow by one second per second and processor: look again no earlier. */
static void check_cpu_time(struct loop *l, uint64_t now)
{
	uint64_t limit_us = l->w->spec->limits.cpu_time_ms * 1000;
	struct cgroup_usage usage;
	uint64_t left;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	cgroup_read_usage(l->w->cgroup, &usage);
	if (usage.cpu_us >= limit_us) {
		l->w->cpu_exceeded = true;
		l->cpu_check = NEVER;
		kill_all(l);
		return;
	}
	left = (limit_us - usage.cpu_us) / (uint64_t)(cpus > 0 ? cpus : 1);
	l->cpu_check = now + (left < 5000 ? 5000 : left);
}

static void check_sockets(struct loop *l, uint64_t now, struct err *e)
{
	int many = socket_count_look(&l->sockets, now, e);

	if (!many)
		return;
	if (many < 0)
		l->failed = true;
	else
		l->w->memory_exceeded = true;
	socket_count_end(&l->sockets);
	kill_all(l);
}

/* Its end is stuck in the kernel. Whatever it still does is up to no one here. */
static void give_up(struct loop *l, struct err *e)
{
	err_set(e, ERR_SYSTEM,
		"the sandbox was killed and does not end: a process in it is stuck in the kernel "
		"(a network file system that is gone?)");
	l->failed = l->gone = true;
	l->w->child->pid = 0;
	own_close(&l->w->child->pidfd);
	stream_fini(&l->in);
	abandon_output(l);
}

static void check_clock(struct loop *l, struct err *e)
{
	uint64_t now = monotonic_us();

	if (l->gone)
		return;
	if (now >= l->end_by) {
		give_up(l, e);
		return;
	}
	check_sockets(l, now, e);
	if (now >= l->deadline) {
		l->w->timed_out = true;
		l->deadline = NEVER;
		kill_all(l);
	}
	if (now >= l->term_at) {
		l->w->command_timed_out = true;
		l->term_at = NEVER;
		child_order(l->w->child, ORDER_SIGNAL, SIGTERM);
	}
	if (now >= l->kill_at) {
		l->kill_at = NEVER;
		kill_all(l);
	}
	if (now >= l->cpu_check)
		check_cpu_time(l, now);
}

static int poll_timeout_ms(const struct loop *l)
{
	uint64_t next = l->deadline < l->kill_at ? l->deadline : l->kill_at;
	uint64_t now = monotonic_us();

	if (l->cpu_check < next)
		next = l->cpu_check;
	if (l->end_by < next)
		next = l->end_by;
	if (l->term_at < next)
		next = l->term_at;
	if (l->sockets.next_us < next)
		next = l->sockets.next_us;
	if (l->gone && l->w->timed_out)
		return LATE_MS;
	if (l->gone || next == NEVER)
		return -1;
	if (next <= now)
		return 0;
	return next - now > 1000000000ull ? 1000000 : (int)((next - now + 999) / 1000);
}

static void loop_init(struct loop *l, struct watch *w, int signal_fd, uint64_t started_us,
		      struct verdict *v)
{
	const struct limits *limits = &w->spec->limits;
	static const int targets[2] = {STDOUT_FILENO, STDERR_FILENO};

	l->w = w;
	l->signal_fd = signal_fd;
	l->gone = l->failed = false;
	l->deadline = limits->wall_time_ms == SPEC_UNLIMITED
			      ? NEVER
			      : started_us + limits->wall_time_ms * 1000;
	l->kill_at = l->end_by = NEVER;
	l->term_at = w->command_timeout_ms ? started_us + w->command_timeout_ms * 1000 : NEVER;
	l->cpu_check = limits->cpu_time_ms == SPEC_UNLIMITED ? NEVER : 0;
	l->sockets = socket_count_none();
	if (w->child->adopted)
		socket_count_start(&l->sockets, w->child->pidfd, limits->memory_bytes);
	terminal_init(&l->terminal);
	stream_init(&l->in, w->child->input >= 0 ? STDIN_FILENO : -1, w->child->input);
	l->in.own_to = true;
	w->child->input = -1;
	for (int i = 0; i < 2; i++) {
		stream_init(&l->out[i], w->child->output[i], w->forward ? targets[i] : -1);
		l->out[i].own_from = true;
		l->out[i].limit = limits->output_bytes;
		l->out[i].capture = w->capture ? &v->captured[i] : NULL;
		w->child->output[i] = -1;
	}
}

enum {
	SLOT_SIGNAL,
	SLOT_CHILD,
	SLOT_CONTROL,
	SLOT_OOM,
	SLOT_IN,
	SLOT_OUT = SLOT_IN + 2,
	SLOT_ERR = SLOT_OUT + 2,
	SLOT_COUNT = SLOT_ERR + 2
};

static void turn(struct loop *l, struct err *e)
{
	struct pollfd fds[SLOT_COUNT];

	fds[SLOT_SIGNAL] = (struct pollfd){.fd = l->signal_fd, .events = POLLIN};
	fds[SLOT_CHILD] =
		(struct pollfd){.fd = l->gone ? -1 : l->w->child->pidfd, .events = POLLIN};
	fds[SLOT_CONTROL] =
		(struct pollfd){.fd = l->gone ? -1 : l->w->child->control, .events = POLLIN};
	fds[SLOT_OOM] =
		(struct pollfd){.fd = l->gone ? -1 : l->w->cgroup->oom_fd, .events = POLLIN};
	stream_poll(&l->in, &fds[SLOT_IN]);
	stream_poll(&l->out[0], &fds[SLOT_OUT]);
	stream_poll(&l->out[1], &fds[SLOT_ERR]);
	poll(fds, SLOT_COUNT, poll_timeout_ms(l));
	if (fds[SLOT_SIGNAL].revents)
		on_signal(l);
	stream_pump(&l->in, &fds[SLOT_IN]);
	stream_pump(&l->out[0], &fds[SLOT_OUT]);
	stream_pump(&l->out[1], &fds[SLOT_ERR]);
	if (fds[SLOT_CONTROL].revents)
		on_report(l, e);
	/* pid 1 is on its way out; its end is told by the pidfd alone from here on. */
	if (fds[SLOT_CONTROL].revents & POLLHUP)
		own_close(&l->w->child->control);
	if (fds[SLOT_OOM].revents)
		on_out_of_memory(l);
	if (fds[SLOT_CHILD].revents)
		on_end(l, e);
	/* Nobody reads any more: as in a pipeline, the writer ends with SIGPIPE, and so does one
	 * that has ended already if what it wrote last is lost. */
	if ((l->gone ? l->out[0].lost || l->out[1].lost
		     : l->out[0].reader_gone || l->out[1].reader_gone) &&
	    !l->w->cancelled_by) {
		l->w->cancelled_by = SIGPIPE;
		if (!l->gone)
			kill_all(l);
	}
	check_clock(l, e);
}

/* Past the deadline nobody waits for a reader that does not read. */
static bool is_done(const struct loop *l)
{
	bool late = l->gone && l->w->timed_out;

	for (int i = 0; i < 2; i++) {
		if (!stream_is_done(&l->out[i]) && !(late && stream_is_stuck(&l->out[i])))
			return false;
	}
	return l->gone;
}

int watch_run(struct watch *w, int signal_fd, uint64_t started_us, struct verdict *v, struct err *e)
{
	struct loop *l = malloc(sizeof(*l));
	bool failed;

	if (!l)
		abort();
	loop_init(l, w, signal_fd, started_us, v);
	while (!is_done(l))
		turn(l, e);
	for (int i = 0; i < 2; i++) {
		v->truncated[i] = l->out[i].truncated || stream_is_stuck(&l->out[i]);
		stream_fini(&l->out[i]);
	}
	stream_fini(&l->in);
	socket_count_end(&l->sockets);
	terminal_close(&l->terminal);
	own_close(&w->child->control);
	failed = l->failed;
	free(l);
	return failed ? -1 : 0;
}
