/*
 * watch - everything that can happen while a program runs.
 */
#include "host/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/own.h"
#include "host/cgroup_members.h"
#include "host/namespaces.h"
#include "host/socket_count.h"
#include "host/stream.h"
#include "host/terminal.h"

#define LATE_US 100000 /* between two looks at a reader that may not read */

/* A stream has two slots: its source and its destination. */
enum { SLOT_CHILD, SLOT_CONTROL, SLOT_OOM, SLOT_IN, SLOT_IN_TO, SLOT_STREAMS };
#define SLOT_OUT(i) (SLOT_STREAMS + 2 * (i))
#define SLOT_COUNT  SLOT_OUT(2)

/* Its state beside what the caller sees. */
struct watching {
	struct watch *w;
	struct err *e;
	struct run_io io;
	struct loop loop;
	struct pollfd slots[SLOT_COUNT];
	struct stream in;
	struct stream out[2];
	struct terminal terminal;
	bool gone;          /* reaped */
	bool failed;        /* *e holds the child's error */
	uint64_t deadline;  /* of the wall time */
	uint64_t kill_at;   /* after a stop signal */
	uint64_t term_at;   /* the time limit that stands for timeout(1) */
	uint64_t cpu_check; /* next look at the CPU time */
	uint64_t end_by;    /* it was killed: wait no longer than this */
	struct socket_count sockets;
};

static void watch_abandon_output(struct watching *l)
{
	stream_fini(&l->out[0]);
	stream_fini(&l->out[1]);
}

/* Kill all at once: pid 1 alone would have to wait for the CPU, which the others may hold. */
static void watch_kill_all(struct watching *l)
{
	struct watch *w = l->w;

	if (l->end_by == LOOP_NEVER) {
		l->end_by = monotonic_us() + CHILD_END_MS * 1000ull;
		w->killed_cpu_us =
			cgroup_members_cpu_us(w->cgroup->name, w->cgroup->dirs, w->cgroup->count);
	}
	child_kill(w->child);
	cgroup_kill(w->cgroup->name, w->cgroup->dirs, w->cgroup->count);
}

static void watch_stop(struct watching *l, int number)
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
	watch_kill_all(l);
	/* A second request while output is still being passed on means: end now. */
	if (!first)
		watch_abandon_output(l);
}

static void watch_start_output(struct watching *l, int i, int from)
{
	stream_init_sink(&l->out[i], from, &l->io.out[i], l->w->spec->limits.output_bytes);
	l->out[i].own_from = true;
}

static void watch_on_pty(struct watching *l, int fd)
{
	/* Only our end: the other is the program's, which may leave its input unread. */
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	terminal_open(&l->terminal, l->io.in, fd);
	watch_start_output(l, 0, dup(fd));
	if (l->w->spec->interactive) {
		stream_init(&l->in, l->io.in, fd);
		l->in.own_to = true;
	} else {
		close(fd);
	}
}

static void watch_on_report(struct watching *l)
{
	struct report r;
	int fd;

	while (child_receive(l->w->child, &r, &fd)) {
		switch (r.kind) {
		case REPORT_ERROR:
			*l->e = r.error;
			namespaces_explain(l->e);
			l->failed = true;
			break;
		case REPORT_EXIT:
			l->w->reported = true;
			l->w->status = r.value;
			l->w->usage = r.usage; /* for a child of ours, reaping tells more */
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
			watch_on_pty(l, take_fd(&fd));
			break;
		case REPORT_FD_ROOT: /* closed below */
			break;
		}
		own_close(&fd);
	}
}

static void watch_on_out_of_memory(struct watching *l)
{
	uint64_t events;

	/* Removing the group signals this descriptor, too; only a counted event matters. */
	if (read(l->w->cgroup->oom_fd, &events, sizeof(events)) != (ssize_t)sizeof(events))
		return;
	l->w->memory_exceeded = true;
	watch_kill_all(l);
}

/* pid 1 is dead, and everything in its pid namespace with it. */
static void watch_on_end(struct watching *l)
{
	struct child *c = l->w->child;

	watch_on_report(l);
	child_wait(c, &l->w->usage);
	l->gone = true;
	stream_fini(&l->in);
}

/* CPU time grows by at most one second per second and CPU, so there is no need to look earlier. */
static void watch_check_cpu_time(struct watching *l, uint64_t now)
{
	uint64_t limit_us = l->w->spec->limits.cpu_time_ms * 1000;
	struct cgroup_usage usage;
	uint64_t left;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	cgroup_read_usage(l->w->cgroup, &usage);
	if (usage.cpu_us >= limit_us) {
		l->w->cpu_exceeded = true;
		l->cpu_check = LOOP_NEVER;
		watch_kill_all(l);
		return;
	}
	left = (limit_us - usage.cpu_us) / (uint64_t)(cpus > 0 ? cpus : 1);
	l->cpu_check = now + (left < 5000 ? 5000 : left);
}

static void watch_check_sockets(struct watching *l, uint64_t now)
{
	int many = socket_count_look(&l->sockets, now, l->e);

	if (!many)
		return;
	if (many < 0)
		l->failed = true;
	else
		l->w->memory_exceeded = l->w->in_sockets = true;
	socket_count_end(&l->sockets);
	watch_kill_all(l);
}

/* Its end is stuck in the kernel, beyond our reach. */
static void watch_give_up(struct watching *l)
{
	err_set(l->e, ERR_SYSTEM,
		"the sandbox was killed and does not end: a process in it is stuck in the kernel "
		"(a network file system that is gone?)");
	l->failed = l->gone = true;
	l->w->child->pid = 0;
	own_close(&l->w->child->pidfd);
	stream_fini(&l->in);
	watch_abandon_output(l);
}

static void watch_check_clock(struct watching *l)
{
	uint64_t now = monotonic_us();

	if (l->gone)
		return;
	if (now >= l->end_by) {
		watch_give_up(l);
		return;
	}
	watch_check_sockets(l, now);
	if (now >= l->deadline) {
		l->w->timed_out = true;
		l->deadline = LOOP_NEVER;
		watch_kill_all(l);
	}
	if (now >= l->term_at) {
		l->w->command_timed_out = true;
		l->term_at = LOOP_NEVER;
		child_order(l->w->child, ORDER_SIGNAL, SIGTERM);
	}
	if (now >= l->kill_at) {
		l->kill_at = LOOP_NEVER;
		watch_kill_all(l);
	}
	if (now >= l->cpu_check)
		watch_check_cpu_time(l, now);
}

/* When the next step is due, whatever happens. */
static uint64_t watch_next_us(const struct watching *l)
{
	uint64_t next = clock_earlier(clock_earlier(l->deadline, l->kill_at),
				      clock_earlier(l->end_by, l->term_at));

	if (l->gone)
		return l->w->timed_out ? monotonic_us() + LATE_US : LOOP_NEVER;
	return clock_earlier(next, clock_earlier(l->cpu_check, l->sockets.next_us));
}

static void watch_begin_clock(struct watching *l)
{
	const struct watch *w = l->w;
	const struct limits *limits = &w->spec->limits;

	l->deadline = limits->wall_time_ms == SPEC_UNLIMITED
			      ? LOOP_NEVER
			      : w->started_us + limits->wall_time_ms * 1000;
	l->term_at =
		w->command_timeout_ms ? w->started_us + w->command_timeout_ms * 1000 : LOOP_NEVER;
	l->cpu_check = limits->cpu_time_ms == SPEC_UNLIMITED ? LOOP_NEVER : 0;
	l->kill_at = l->end_by = LOOP_NEVER;
	l->sockets = socket_count_none();
	if (w->child->adopted)
		socket_count_start(&l->sockets, w->child->pidfd, limits->memory_bytes);
}

static void watch_begin_streams(struct watching *l)
{
	struct child *child = l->w->child;

	terminal_init(&l->terminal);
	stream_init(&l->in, child->input >= 0 ? l->io.in : -1, child->input);
	l->in.own_to = true;
	child->input = -1;
	for (int i = 0; i < 2; i++)
		watch_start_output(l, i, take_fd(&child->output[i]));
}

static void watch_arrange(struct watching *l, uint64_t next)
{
	const struct watch *w = l->w;
	struct pollfd *slots = l->slots;

	slots[SLOT_CHILD] = (struct pollfd){l->gone ? -1 : w->child->pidfd, POLLIN, 0};
	slots[SLOT_CONTROL] = (struct pollfd){l->gone ? -1 : w->child->control, POLLIN, 0};
	slots[SLOT_OOM] = (struct pollfd){l->gone ? -1 : w->cgroup->oom_fd, POLLIN, 0};
	stream_poll(&l->in, &slots[SLOT_IN]);
	stream_poll(&l->out[0], &slots[SLOT_OUT(0)]);
	stream_poll(&l->out[1], &slots[SLOT_OUT(1)]);
	loop_arrange(&l->loop, slots, SLOT_COUNT, next);
}

/*
 * Nobody reads any more: as in a pipeline, the writer ends with SIGPIPE. That holds even for one
 * that has ended, if its last output is lost.
 */
static void watch_check_readers(struct watching *l)
{
	bool nobody = l->gone ? l->out[0].lost || l->out[1].lost
			      : l->out[0].reader_gone || l->out[1].reader_gone;

	if (!nobody || l->w->cancelled_by)
		return;
	l->w->cancelled_by = SIGPIPE;
	l->w->output_error = stream_error(&l->out[0]);
	if (!l->w->output_error)
		l->w->output_error = stream_error(&l->out[1]);
	if (!l->gone)
		watch_kill_all(l);
}

static void watch_react(struct watching *l)
{
	struct pollfd *slots = l->slots;

	loop_collect(&l->loop);
	stream_pump(&l->in, &slots[SLOT_IN]);
	stream_pump(&l->out[0], &slots[SLOT_OUT(0)]);
	stream_pump(&l->out[1], &slots[SLOT_OUT(1)]);
	if (slots[SLOT_CONTROL].revents)
		watch_on_report(l);
	/* pid 1 is ending; from here on only its pidfd tells. */
	if (slots[SLOT_CONTROL].revents & POLLHUP)
		own_close(&l->w->child->control);
	if (slots[SLOT_OOM].revents)
		watch_on_out_of_memory(l);
	if (slots[SLOT_CHILD].revents)
		watch_on_end(l);
	watch_check_readers(l);
	watch_check_clock(l);
}

/* After the deadline nobody waits for a reader that does not read. */
static bool watch_is_done(const struct watching *l)
{
	bool late = l->gone && l->w->timed_out;

	for (int i = 0; i < 2; i++) {
		if (!stream_is_done(&l->out[i]) && !(late && stream_is_stuck(&l->out[i])))
			return false;
	}
	return l->gone;
}

struct watching *watch_begin(struct watch *w, struct err *e)
{
	/* Not zeroed: pages of the stream buffers are touched only when used. */
	struct watching *l = own_resize(NULL, 1, sizeof(*l));

	l->w = w;
	l->e = e;
	l->io = *w->io;
	l->loop = loop_none();
	l->gone = l->failed = false;
	watch_begin_clock(l);
	watch_begin_streams(l);
	watch_arrange(l, watch_next_us(l));
	return l;
}

struct loop *watch_loop(struct watching *l)
{
	return &l->loop;
}

bool watch_step(struct watching *l)
{
	watch_react(l);
	if (watch_is_done(l))
		return true;
	watch_arrange(l, watch_next_us(l));
	return false;
}

void watch_signal(struct watching *l, int number)
{
	if (number == SIGWINCH)
		terminal_resize(&l->terminal);
	else
		watch_stop(l, number);
	watch_arrange(l, 0); /* it may be over now */
}

int watch_end(struct watching *l)
{
	bool failed = l->failed;

	for (int i = 0; i < 2; i++) {
		l->w->truncated[i] = l->out[i].truncated || stream_is_stuck(&l->out[i]);
		stream_fini(&l->out[i]);
	}
	stream_fini(&l->in);
	socket_count_end(&l->sockets);
	terminal_close(&l->terminal);
	own_close(&l->w->child->control);
	loop_close(&l->loop);
	free(l);
	return failed ? -1 : 0;
}
