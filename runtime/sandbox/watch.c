/*
 * watch - drive a running sandbox: output, input, its end, deadlines, signals.
 */
#include "sandbox/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "cgroup/cgroup_members.h"
#include "cgroup/cpu_limit.h"
#include "host/omit.h"
#include "loop/clock.h"
#include "loop/loop.h"
#include "namespace/namespaces.h"
#include "sandbox/early_end.h"
#include "sandbox/socket_count.h"
#include "sandbox/stopping.h"

#define LATE_US 100000 /* between two checks of a reader that may not read */

enum { SLOT_CHILD, SLOT_CONTROL, SLOT_REPORTS, SLOT_OOM, SLOT_STREAMS };
#define SLOT_COUNT (SLOT_STREAMS + STREAMS_SLOTS)

/* State that the caller does not see. */
struct watching {
	struct watch *w;
	struct err *e;
	struct loop loop;
	struct pollfd slots[SLOT_COUNT];
	struct streams streams;
	bool gone;          /* reaped */
	bool failed;        /* *e holds the child's error */
	uint64_t deadline;  /* wall time limit */
	uint64_t term_at;   /* time limit of timeout(1) */
	uint64_t cpu_check; /* next check of the CPU time */
	bool killed;
	struct stopping stopping;
	struct socket_count sockets;
	struct early_end early;
};

/* Kill all processes at once: pid 1 alone may not get a CPU, which the others occupy. */
static void watch_kill_all(struct watching *l)
{
	struct watch *w = l->w;
	struct err ignored;

	if (!l->killed)
		w->killed_cpu_us = cgroup_members_cpu_us(&w->cgroup->ref);
	l->killed = true;
	child_kill(w->child);
	cgroup_kill(&w->cgroup->ref);
	if (w->paused)
		(void)cgroup_thaw_once(&w->cgroup->ref, &ignored);
}

/* Pid 1 is in its network namespace: start counting. @counters: taken; -1 */
static void watch_begin_network(struct watching *l, int *counters)
{
	socket_count_start(&l->sockets, l->w->child->pidfd, l->w->spec->limits.memory_bytes);
	own_close(&l->w->counters_fd);
	l->w->counters_fd = take_fd(counters);
}

/* @socket  of pid 1, or of the program that it started. */
static void watch_on_report(struct watching *l, int socket)
{
	struct report r;
	int fd;

	while (child_receive(socket, &r, &fd)) {
		switch (r.kind) {
		case REPORT_ERROR:
			*l->e = r.error;
			namespaces_explain(l->e);
			l->failed = true;
			break;
		case REPORT_EXIT:
			l->w->reported = true;
			l->w->status = r.value;
			l->w->usage = r.usage; /* reaping our own child tells more */
			child_is_ending(l->w->child);
			break;
		case REPORT_PARTED:
			child_parted(l->w->child);
			watch_begin_network(l, &fd);
			break;
		case REPORT_FD_STAGE:
			own_close(&l->w->stage_fd);
			l->w->stage_fd = take_fd(&fd);
			break;
		case REPORT_FD_SPACE:
			if (l->w->space_count < VERDICT_PLACES)
				l->w->space_fds[l->w->space_count++] = take_fd(&fd);
			break;
		case REPORT_FD_PTY: /* once, if a terminal was asked for */
			if (l->w->spec->tty && !streams_have_pty(&l->streams))
				streams_take_pty(&l->streams, take_fd(&fd));
			break;
		case REPORT_ENDED:
			if (l->w->ended)
				l->w->ended(l->w->context, &r);
			break;
		case REPORT_LOCKED:  /* nobody waits for it */
		case REPORT_FD_ROOT: /* closed below */
			break;
		}
		own_close(&fd);
	}
}

static void watch_on_out_of_memory(struct watching *l)
{
	uint64_t events;

	/*
	 * Removing the group signals this descriptor, too; only a counted event means out of
	 * memory.
	 */
	if (read(l->w->cgroup->oom_fd, &events, sizeof(events)) != (ssize_t)sizeof(events))
		return;
	l->w->memory_exceeded = true;
	watch_kill_all(l);
}

/* The program has its report socket until it is executed, or has ended. */
static void watch_on_program(struct watching *l, bool over)
{
	struct child *c = l->w->child;

	watch_on_report(l, c->reports);
	if (!over || c->reports < 0)
		return;
	l->w->started = !l->failed;
	own_close(&c->reports);
}

/* Pid 1 is dead, and with it everything in its pid namespace. */
static void watch_on_end(struct watching *l)
{
	struct child *c = l->w->child;

	watch_on_report(l, c->control);
	watch_on_program(l, true);
	child_wait(c, &l->w->usage);
	l->gone = true;
	streams_end_input(&l->streams);
}

static void watch_check_cpu_time(struct watching *l, uint64_t now)
{
	uint64_t next = cpu_limit_next(l->w->cgroup, l->w->spec->limits.cpu_time_ms * 1000);

	l->cpu_check = next ? now + next : LOOP_NEVER;
	if (!next) {
		l->w->cpu_exceeded = true;
		watch_kill_all(l);
	}
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

/* Leave the exiting process to others, without waiting. */
static void watch_leave(struct watching *l)
{
	l->gone = true;
	l->w->child->pid = 0;
	own_close(&l->w->child->pidfd);
	streams_end_input(&l->streams);
}

/* A killed process that does not end is stuck in the kernel: signals do not reach it there. */
static void watch_give_up(struct watching *l)
{
	watch_kill_all(l);
	l->w->left_behind = true;
	watch_leave(l);
	streams_abandon(&l->streams);
}

/* A cell's group may outlive the run: its supervisor removes it. */
static void watch_check_early_end(struct watching *l, uint64_t now)
{
	const struct watch *w = l->w;

	if (!w->reported || !w->child->adopted || !streams_are_done(&l->streams, false) ||
	    !early_end_may_be_near(&l->early, now, w->cgroup))
		return;
	watch_on_report(
		l, w->child->control); /* between both checks: reports of all other processes */
	if (!early_end_is_near(&l->early, w->cgroup, w->child->pidfd))
		return;
	l->w->early = true;
	l->w->early_cpu_us = l->early.cpu_us;
	watch_leave(l);
}

static void watch_check_clock(struct watching *l)
{
	uint64_t now = monotonic_us();

	if (l->gone)
		return;
	if (now >= child_end_by(l->w->child)) {
		watch_give_up(l);
		return;
	}
	watch_check_sockets(l, now);
	if (now >= l->deadline) {
		l->w->timed_out = true;
		l->stopping.late = true;
		l->deadline = LOOP_NEVER;
		if (l->killed ||
		    !stopping_at_deadline(&l->stopping, l->w->spec, l->w->child->control))
			watch_kill_all(l);
	}
	if (now >= l->term_at) {
		l->w->command_timed_out = true;
		l->term_at = LOOP_NEVER;
		child_order(l->w->child->control, ORDER_SIGNAL, SIGTERM);
	}
	if (stopping_is_over(&l->stopping, now, &l->w->cancelled_by))
		watch_kill_all(l);
	if (now >= l->cpu_check)
		watch_check_cpu_time(l, now);
	watch_check_early_end(l, now);
}

/* When the next step is due, even without events. */
static uint64_t watch_next_us(const struct watching *l)
{
	uint64_t next = clock_earlier(clock_earlier(l->deadline, l->stopping.kill_at),
				      clock_earlier(child_end_by(l->w->child), l->term_at));

	if (l->gone)
		return l->stopping.late ? monotonic_us() + LATE_US : LOOP_NEVER;
	next = clock_earlier(next, clock_earlier(l->cpu_check, l->sockets.next_us));
	return clock_earlier(next, l->early.next_us);
}

static void watch_begin_clock(struct watching *l)
{
	const struct watch *w = l->w;

	l->deadline = stopping_deadline(&w->spec->limits, w->started_us);
	l->term_at =
		w->command_timeout_ms ? w->started_us + w->command_timeout_ms * 1000 : LOOP_NEVER;
	l->cpu_check = w->spec->limits.cpu_time_ms == SPEC_UNLIMITED ? LOOP_NEVER : 0;
	l->stopping = stopping_none();
	l->sockets = socket_count_of(w->child->adopted ? 0 : w->child->pid);
	l->early = early_end_none();
	if (w->child->adopted)
		watch_begin_network(l, &w->child->counters);
}

static void watch_arrange(struct watching *l, uint64_t next)
{
	struct pollfd *slots = l->slots;

	slots[SLOT_CHILD] = (struct pollfd){l->gone ? -1 : l->w->child->pidfd, POLLIN, 0};
	slots[SLOT_CONTROL] = (struct pollfd){l->gone ? -1 : l->w->child->control, POLLIN, 0};
	slots[SLOT_REPORTS] = (struct pollfd){l->gone ? -1 : l->w->child->reports, POLLIN, 0};
	slots[SLOT_OOM] = (struct pollfd){l->gone ? -1 : l->w->cgroup->oom_fd, POLLIN, 0};
	streams_poll(&l->streams, &slots[SLOT_STREAMS]);
	loop_arrange(&l->loop, slots, SLOT_COUNT, next);
}

/* As in a pipeline, SIGPIPE ends a writer whose reader has closed, or that lost output. */
static void watch_check_readers(struct watching *l)
{
	int error;

	if (!streams_have_no_reader(&l->streams, l->gone, &error) || l->w->cancelled_by)
		return;
	l->w->cancelled_by = SIGPIPE;
	l->w->output_error = error;
	if (!l->gone)
		watch_kill_all(l);
}

static void watch_react(struct watching *l)
{
	struct pollfd *slots = l->slots;

	loop_collect(&l->loop);
	streams_pump(&l->streams, &slots[SLOT_STREAMS]);
	if (slots[SLOT_CONTROL].revents)
		watch_on_report(l, l->w->child->control);
	if (slots[SLOT_REPORTS].revents)
		watch_on_program(l, l->slots[SLOT_REPORTS].revents & POLLHUP);
	/* Pid 1 is exiting; from here on only its pidfd tells. */
	if (slots[SLOT_CONTROL].revents & POLLHUP)
		own_close(&l->w->child->control);
	if (slots[SLOT_OOM].revents)
		watch_on_out_of_memory(l);
	if (slots[SLOT_CHILD].revents)
		watch_on_end(l);
	watch_check_readers(l);
	watch_check_clock(l);
}

static bool watch_is_done(const struct watching *l)
{
	return l->gone && streams_are_done(&l->streams, l->stopping.late);
}

struct watching *watch_begin(struct watch *w, struct err *e)
{
	struct watching *l = own_zeroed(1, sizeof(*l));

	l->w = w;
	l->e = e;
	l->loop = loop_none();
	watch_begin_clock(l);
	streams_begin(&l->streams, w->io, w->spec->interactive, w->spec->limits.output_bytes);
	streams_take(&l->streams, &w->child->input, w->child->output);
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
	struct watch *w = l->w;
	bool again = w->cancelled_by;

	if (number == SIGWINCH && (w->spec->tty || !w->spec->sig_proxy))
		terminal_resize(&l->streams.terminal);
	else if (!host_omits("interrupt") &&
		 !stopping_signal(&l->stopping, w->spec, l->gone, w->child->control, number,
				  &w->cancelled_by))
		watch_kill_all(l);
	/* A second request while output is still being relayed: end now. */
	if (again && stopping_is_meant(number))
		streams_abandon(&l->streams);
	watch_arrange(l, 0); /* may be over now */
}

void watch_resize(struct watching *l, uint16_t rows, uint16_t columns)
{
	terminal_set_size(&l->streams.terminal, rows, columns);
}

void watch_update(struct watching *l, const struct limits *next, bool timed)
{
	socket_count_start(&l->sockets, l->w->child->pidfd, next->memory_bytes);
	if (timed && !l->stopping.late)
		l->deadline = stopping_deadline(next, monotonic_us());
	watch_arrange(l, watch_next_us(l));
}

void watch_expire(struct watching *l)
{
	l->w->idle = l->w->idle || !l->stopping.late;
	l->deadline = l->stopping.late ? l->deadline : 0;
	watch_arrange(l, 0);
}

int watch_end(struct watching *l)
{
	bool failed = l->failed;

	streams_end(&l->streams, l->w->truncated);
	socket_count_end(&l->sockets);
	own_close(&l->w->child->control);
	loop_close(&l->loop);
	free(l);
	return failed ? -1 : 0;
}
