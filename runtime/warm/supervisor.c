/*
 * supervisor - the warm supervisor of one user: a nursery, a pool and its clients.
 */
#include "warm/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/process.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "loop/loop.h"
#include "warm/clients.h"
#include "wire/runtime_dir.h"

#define RESTART_US 1000000 /* between two starts of a failing nursery */
#define LOOK_US    250000
#define REST_US    10000    /* after a cell was taken */
#define STUCK_US   10000000 /* a nursery that makes no cell for this long when called is stuck */

/* -- the nursery and its cells ------------------------------------------------------------ */

static void supervisor_lose_nursery(struct supervisor *s)
{
	pool_empty(&s->pool);
	sessions_lose(&s->sessions);
	nursery_stop(&s->nursery, &s->endings);
}

/*
 * How long to leave the pool as it is. Making a cell competes with a run for CPUs, at its start and
 * at its end; most runs are over after this time. While half of the pool is left, no client has to
 * wait.
 */
static uint64_t supervisor_rest_us(const struct supervisor *s, uint64_t now)
{
	uint64_t until = s->pool.leased_at_us + REST_US;

	if (clients_waiting(s) || s->pool.count >= s->options->pool ||
	    2 * pool_ready(&s->pool) < s->options->pool)
		return 0;
	return until > now ? until - now : 0;
}

/* Call for the cells that will be missing, a few at a time. */
static void supervisor_fill_pool(struct supervisor *s)
{
	s->was_as_caller |= clients_waiting_for(s, true) > 0;
	if (supervisor_rest_us(s, monotonic_us()))
		return;
	while (s->nursery.state == NURSERY_READY && pool_under_way(&s->pool) < POOL_CALLS) {
		bool as_caller = clients_want(s, true) > pool_count(&s->pool, true);

		if (!as_caller && pool_count(&s->pool, false) >= clients_want(s, false))
			break;
		if (pool_call(&s->pool, &s->nursery, as_caller))
			return; /* retry at the next turn */
	}
}

/* Report the first start to the caller that waits for it; retry after later failures. */
static void supervisor_tell_ready(struct supervisor *s, const struct err *e)
{
	struct supervisor_report report;

	if (s->ready_fd < 0)
		return;
	memset(&report, 0, sizeof(report)); /* its padding is sent, too */
	report.e = *e;
	report.makes_none = s->nursery.makes_none;
	memcpy(report.left_out, s->nursery.left_out, sizeof(report.left_out));
	(void)io_write_all(s->ready_fd, &report, sizeof(report));
	own_close(&s->ready_fd);
}

static void supervisor_nursery_failed(struct supervisor *s, const struct err *why)
{
	supervisor_lose_nursery(s);
	s->restarts++;
	/*
	 * A failed first start would fail again, so exit. But a supervisor that systemd starts for
	 * each connection stays to answer with the reason.
	 */
	s->stop |= !s->was_ready && !(s->nursery.cold[0] && s->options->listen_fd >= 0);
	s->why = *why;
}

static void supervisor_attend_nursery(struct supervisor *s)
{
	struct err said = {0};
	struct err e = {0};

	while (s->nursery.state != NURSERY_NONE) {
		switch (nursery_receive(&s->nursery, &e)) {
		case NURSERY_QUIET:
			if (nursery_attend(&s->nursery, &e)) {
				/* Python may have sent the reason after our check. */
				if (nursery_receive(&s->nursery, &said) == NURSERY_FAILED &&
				    said.kind != ERR_SYSTEM)
					e = said;
				supervisor_nursery_failed(s, &e);
			}
			return;
		case NURSERY_IS_READY:
			nursery_say_left_out(s->nursery.left_out);
			break;
		case NURSERY_FAILED:
			if (e.kind ==
			    ERR_SYSTEM) /* Python sent no reason; its pid 1 may have one */
				(void)nursery_attend(&s->nursery, &e);
			supervisor_nursery_failed(s, &e);
			return;
		}
	}
}

/* -- the loop --------------------------------------------------------------------------------- */

enum {
	SLOT_SIGNAL,
	SLOT_LISTEN,
	SLOT_CALLS,
	SLOT_NURSERY,
	SLOT_OUT,
	SLOT_ERR,
	SLOT_LOOK,
	SLOT_CELLS
};

static struct pollfd supervisor_watch_for(int fd)
{
	return (struct pollfd){.fd = fd, .events = POLLIN};
}

static unsigned supervisor_build_slots(const struct supervisor *s, struct pollfd *slots)
{
	bool alive = s->nursery.state != NURSERY_NONE;
	unsigned n = SLOT_CELLS;

	slots[SLOT_SIGNAL] = supervisor_watch_for(s->signal_fd);
	slots[SLOT_LISTEN] =
		supervisor_watch_for(s->accept_after_us > monotonic_us() ? -1 : s->listen_fd);
	slots[SLOT_CALLS] = supervisor_watch_for(alive ? s->nursery.calls : -1);
	slots[SLOT_NURSERY] = supervisor_watch_for(alive ? s->nursery.child.control : -1);
	slots[SLOT_OUT] = supervisor_watch_for(alive ? s->nursery.child.output[0] : -1);
	slots[SLOT_ERR] = supervisor_watch_for(alive ? s->nursery.child.output[1] : -1);
	slots[SLOT_LOOK] = supervisor_watch_for(s->look.pidfd);
	for (unsigned i = 0; i < s->pool.count; i++)
		slots[n++] = supervisor_watch_for(s->pool.cells[i]->control);
	for (unsigned i = 0; i < s->client_count; i++)
		slots[n++] = supervisor_watch_for(s->clients[i].fd);
	return n;
}

static void supervisor_attend_all(struct supervisor *s, const struct pollfd *slots)
{
	const struct pollfd *cells = slots + SLOT_CELLS;
	const struct pollfd *clients = cells + s->pool.count;

	/*
	 * Go backwards, because removal moves the last entry; cells first, because serving clients
	 * removes some.
	 */
	for (unsigned i = s->pool.count; i-- > 0;) {
		if (cells[i].revents)
			pool_attend(&s->pool, i);
	}
	for (unsigned i = s->client_count; i-- > 0;) {
		if (clients[i].revents && clients_attend(s, i))
			clients_drop(s, i);
	}
}

/* A waiting client has a time limit: check the clock. */
static bool supervisor_somebody_waits(const struct supervisor *s)
{
	for (unsigned i = 0; i < s->client_count; i++) {
		const struct op_request *r = s->clients[i].request;

		if (r && (r->op == OP_BORROW || r->op == OP_READY))
			return true;
	}
	return false;
}

static int supervisor_patience_ms(const struct supervisor *s)
{
	if (s->nursery.state == NURSERY_NONE || clients_waiting(s) || s->accept_after_us ||
	    s->pool.failed_in_a_row || supervisor_somebody_waits(s))
		return 100;
	if (s->awaits_cells || s->pool.count > s->options->pool || s->pool.leased_count ||
	    s->sessions.count)
		return LOOK_US / 1000;
	return s->options->idle_exit_ms || s->client_count ? 1000 : -1;
}

static uint64_t supervisor_next_us(const struct supervisor *s)
{
	uint64_t now = monotonic_us();
	uint64_t rest = supervisor_rest_us(s, now);
	int ending_ms = endings_timeout_ms(&s->endings);
	int other_ms = supervisor_patience_ms(s);

	if (other_ms < 0 || (ending_ms >= 0 && ending_ms < other_ms))
		other_ms = ending_ms;
	return clock_earlier(rest ? now + rest : LOOP_NEVER,
			     other_ms < 0 ? LOOP_NEVER : now + (uint64_t)other_ms * 1000);
}

/* Whether cells are wanted, but the nursery neither makes one nor fails. */
static bool supervisor_nursery_is_stuck(struct supervisor *s, uint64_t now)
{
	bool awaits = s->nursery.state == NURSERY_READY && pool_under_way(&s->pool) > 0;
	uint64_t progress = s->pool.made + s->pool.failed;

	if (!awaits || !s->awaits_cells || progress != s->progress)
		s->progress_us = now;
	s->awaits_cells = awaits;
	s->progress = progress;
	return now - s->progress_us > STUCK_US;
}

static bool supervisor_is_inhabited(struct supervisor *s)
{
	return s->sessions.count > 0 || pool_leased(&s->pool) > 0;
}

/* Do not open the nursery's files before a child has done so and exited. */
static void supervisor_restart_nursery(struct supervisor *s, uint64_t now)
{
	struct err e;

	if (s->nursery.state != NURSERY_NONE || s->nursery.cold[0])
		return;
	if (s->look.pid && waitpid(s->look.pid, NULL, WNOHANG) != 0) {
		s->look.pid = 0;
		own_close(&s->look.pidfd);
		(void)nursery_start(&s->options->nursery, &s->pool.ids, &s->endings, &s->nursery,
				    &e);
	} else if (!s->look.pid && now - s->nursery.started_us > RESTART_US) {
		s->nursery.started_us = now;
		(void)nursery_look(&s->options->nursery, &s->look);
	}
}

static void supervisor_end_look(struct supervisor *s)
{
	struct ending ending = ending_none();

	if (!s->look.pid)
		return;
	ending_take_child(&ending, &s->look);
	endings_add(&s->endings, &ending);
}

static void supervisor_check_clock(struct supervisor *s)
{
	uint64_t now = monotonic_us();
	struct err e;

	if (now - s->last_look_us > LOOK_US) {
		s->last_look_us = now;
		if (!clients_waiting(s)) {
			pool_trim(&s->pool, clients_want(s, false), false);
			if (pool_has_kinds(&s->pool))
				pool_trim(&s->pool, clients_want(s, true), true);
		}
		if (pool_leased(&s->pool) + sessions_check(&s->sessions, now) > 0)
			s->last_request_us = now;
	}
	if (!s->was_ready && !s->nursery.cold[0])
		s->last_request_us = now; /* clients could not send requests before */
	if (s->options->idle_exit_ms && now - s->last_request_us > s->options->idle_exit_ms * 1000)
		s->stop = true;
	supervisor_restart_nursery(s, now);
	s->pool.is_stuck |= supervisor_nursery_is_stuck(s, now);
	/* A new nursery may work; but this one's cells and sessions would end with it. */
	if (pool_is_broken(&s->pool, &e) && !supervisor_is_inhabited(s)) {
		s->pool.failed_in_a_row = 0;
		s->pool.is_stuck = false;
		supervisor_nursery_failed(s, &e);
	}
	if (pool_ready(&s->pool) >= s->options->pool) {
		s->was_ready = true;
		supervisor_tell_ready(s, &(struct err){.kind = ERR_NONE});
	}
}

static void supervisor_turn(struct supervisor *s, struct pollfd *slots)
{
	unsigned count = supervisor_build_slots(s, slots);
	struct loop loop =
		loop_none(); /* poll(2), not epoll: all descriptors change at each turn */
	struct signalfd_siginfo info;

	loop_arrange(&loop, slots, count, supervisor_next_us(s));
	loop_wait(&loop, -1);
	loop_collect(&loop);
	endings_look(&s->endings);
	if (slots[SLOT_SIGNAL].revents &&
	    read(s->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		s->stop = true;
	supervisor_attend_all(s, slots);
	if (slots[SLOT_CALLS].revents || slots[SLOT_NURSERY].revents || slots[SLOT_OUT].revents ||
	    slots[SLOT_ERR].revents)
		supervisor_attend_nursery(s);
	if (slots[SLOT_LISTEN].revents)
		clients_accept(s);
	clients_serve(s);
	supervisor_fill_pool(s);
	supervisor_check_clock(s);
}

static int supervisor_loop(struct supervisor *s, struct err *e)
{
	struct pollfd *slots = own_zeroed(SLOT_CELLS + POOL_MAX + MAX_CLIENTS, sizeof(*slots));

	s->last_request_us = monotonic_us();
	if (nursery_start(&s->options->nursery, &s->pool.ids, &s->endings, &s->nursery, e)) {
		free(slots);
		return -1;
	}
	while (!s->stop)
		supervisor_turn(s, slots);
	free(slots);
	*e = s->why;
	return s->why.kind != ERR_NONE && !s->was_ready ? -1 : 0;
}

/* The serving process holds the lock; the process that made the socket removes it. */
static int supervisor_open_socket(struct supervisor *s, int *lock_fd, struct err *e)
{
	return s->listen_fd >= 0 ? runtime_dir_lock(lock_fd, e)
				 : runtime_dir_listen(NULL, &s->listen_fd, lock_fd, e);
}

int supervisor_run(const struct supervisor_options *options, struct err *e)
{
	struct supervisor *s = own_zeroed(1, sizeof(*s));
	auto_fd int lock_fd = -1;
	struct sandbox_spec defaults;
	int bad;

	s->options = options;
	s->ready_fd = options->ready_fd;
	s->listen_fd = options->listen_fd;
	s->signal_fd = -1;
	s->look = child_none();
	s->pool.endings = s->sessions.endings = &s->endings;
	(void)fd_raise_limit(); /* each cell and each client needs a few */
	process_normal_priority();
	spec_init(&defaults);
	bad = spec_finish(&defaults, e);
	s->pool.limits = defaults.limits;
	bad = bad || pool_init(&s->pool, e) || process_signals(&s->signal_fd, e) ||
	      supervisor_open_socket(s, &lock_fd, e) || supervisor_loop(s, e);
	sessions_fini(&s->sessions);
	supervisor_lose_nursery(s);
	supervisor_end_look(s);
	clients_serve(s); /* tell waiting clients why they get nothing */
	endings_fini(&s->endings);
	pool_fini(&s->pool);
	if (lock_fd >= 0 && options->listen_fd < 0)
		runtime_dir_unlink();
	own_close(&s->listen_fd);
	own_close(&lock_fd);
	if (bad)
		supervisor_tell_ready(s, e);
	/*
	 * Last: for the client that asked us to stop, end of file means that everything has ended.
	 */
	while (s->client_count)
		clients_drop(s, s->client_count - 1);
	own_close(&s->signal_fd);
	own_close(&s->ready_fd);
	spec_fini(&defaults);
	free(s);
	return bad;
}
