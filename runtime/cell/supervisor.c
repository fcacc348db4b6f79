/*
 * supervisor - the warm supervisor of one user: a nursery, a pool, who asks.
 */
#include "cell/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/own.h"
#include "cell/clients.h"
#include "cell/runtime_dir.h"
#include "host/watch.h"

#define MAX_FAILURES 20
#define RESTART_US   1000000 /* between two starts of a nursery that does not live */
#define LOOK_US      250000
#define STUCK_US     10000000 /* a nursery that makes no cell for so long, though asked, hangs */

/* -- the nursery and its cells ------------------------------------------------------------ */

static void lose_nursery(struct supervisor *s)
{
	pool_empty(&s->pool);
	sessions_lose(&s->sessions);
	nursery_stop(&s->nursery, &s->endings);
}

/* As many on the way as will be missed, a few at a time. */
static void fill_pool(struct supervisor *s)
{
	unsigned awaited = clients_waiting(s);
	unsigned wanted = s->options->pool + awaited;

	while (s->nursery.state == NURSERY_READY && s->pool.count < wanted &&
	       pool_under_way(&s->pool) < POOL_CALLS) {
		if (pool_call(&s->pool, &s->nursery, awaited > 0, &s->call_error)) {
			s->pool.failed_in_a_row++;
			return; /* tried again at the next turn */
		}
	}
}

/* The first start is reported to who waits for it; a later failure is tried again. */
static void tell_ready(struct supervisor *s, const char *text)
{
	if (s->ready_fd < 0)
		return;
	(void)io_write_all(s->ready_fd, text, strlen(text));
	own_close(&s->ready_fd);
}

static void nursery_failed(struct supervisor *s, const struct err *why)
{
	lose_nursery(s);
	s->restarts++;
	s->stop |= !s->was_ready; /* it would fail again */
	s->why = *why;
}

static void attend_nursery(struct supervisor *s)
{
	struct err e = {0};

	while (s->nursery.state != NURSERY_NONE) {
		switch (nursery_receive(&s->nursery, &e)) {
		case NURSERY_QUIET:
			if (nursery_attend(&s->nursery, &e)) {
				/* It may have said why, after we looked. */
				(void)nursery_receive(&s->nursery, &e);
				nursery_failed(s, &e);
			}
			return;
		case NURSERY_IS_READY:
			break;
		case NURSERY_FAILED:
			(void)nursery_attend(&s->nursery, &e); /* may know more */
			nursery_failed(s, &e);
			return;
		}
	}
}

/* -- the loop --------------------------------------------------------------------------------- */

enum { SLOT_SIGNAL, SLOT_LISTEN, SLOT_CALLS, SLOT_NURSERY, SLOT_OUT, SLOT_ERR, SLOT_CELLS };

static struct pollfd watch_for(int fd)
{
	return (struct pollfd){.fd = fd, .events = POLLIN};
}

static unsigned build_slots(const struct supervisor *s, struct pollfd *slots)
{
	bool alive = s->nursery.state != NURSERY_NONE;
	unsigned n = SLOT_CELLS;

	slots[SLOT_SIGNAL] = watch_for(s->signal_fd);
	slots[SLOT_LISTEN] = watch_for(s->deaf_until_us > monotonic_us() ? -1 : s->listen_fd);
	slots[SLOT_CALLS] = watch_for(alive ? s->nursery.calls : -1);
	slots[SLOT_NURSERY] = watch_for(alive ? s->nursery.child.control : -1);
	slots[SLOT_OUT] = watch_for(alive ? s->nursery.child.output[0] : -1);
	slots[SLOT_ERR] = watch_for(alive ? s->nursery.child.output[1] : -1);
	for (unsigned i = 0; i < s->pool.count; i++)
		slots[n++] = watch_for(s->pool.cells[i]->control);
	for (unsigned i = 0; i < s->client_count; i++)
		slots[n++] = watch_for(s->clients[i].fd);
	return n;
}

static void attend_all(struct supervisor *s, const struct pollfd *slots)
{
	const struct pollfd *cells = slots + SLOT_CELLS;
	const struct pollfd *clients = cells + s->pool.count;

	/* Backwards, because an end moves what comes after it; cells first, because clients
	 * take some away. */
	for (unsigned i = s->pool.count; i-- > 0;) {
		if (cells[i].revents)
			pool_attend(&s->pool, i);
	}
	for (unsigned i = s->client_count; i-- > 0;) {
		if (clients[i].revents && clients_attend(s, i))
			clients_drop(s, i);
	}
}

static bool somebody_wants_a_session(const struct supervisor *s)
{
	for (unsigned i = 0; i < s->client_count; i++) {
		if (s->clients[i].wants)
			return true;
	}
	return false;
}

static int patience_ms(const struct supervisor *s)
{
	if (s->nursery.state == NURSERY_NONE || clients_waiting(s) || s->deaf_until_us ||
	    s->pool.failed_in_a_row || somebody_wants_a_session(s))
		return 100;
	if (s->awaits_cells || s->pool.count > s->options->pool || s->pool.leased_count ||
	    s->sessions.count)
		return LOOK_US / 1000;
	return s->options->idle_exit_ms || s->client_count ? 1000 : -1;
}

static int timeout_ms(const struct supervisor *s)
{
	int ending_ms = endings_timeout_ms(&s->endings);
	int other_ms = patience_ms(s);

	return ending_ms >= 0 && (other_ms < 0 || ending_ms < other_ms) ? ending_ms : other_ms;
}

/* Asked for cells, it neither makes one nor fails to. */
static bool nursery_is_stuck(struct supervisor *s, uint64_t now)
{
	bool awaits = s->nursery.state == NURSERY_READY && pool_under_way(&s->pool) > 0;
	uint64_t progress = s->pool.made + s->pool.failed;

	if (!awaits || !s->awaits_cells || progress != s->progress)
		s->progress_us = now;
	s->awaits_cells = awaits;
	s->progress = progress;
	return now - s->progress_us > STUCK_US;
}

static void check_clock(struct supervisor *s)
{
	uint64_t now = monotonic_us();
	struct err e;

	if (now - s->last_look_us > LOOK_US) {
		s->last_look_us = now;
		if (!clients_waiting(s))
			pool_trim(&s->pool, s->options->pool);
		if (pool_leased(&s->pool) + sessions_check(&s->sessions, now) > 0)
			s->last_request_us = now;
	}
	if (!s->was_ready)
		s->last_request_us = now; /* nobody could ask yet */
	if (s->options->idle_exit_ms && now - s->last_request_us > s->options->idle_exit_ms * 1000)
		s->stop = true;
	if (s->nursery.state == NURSERY_NONE && now - s->nursery.started_us > RESTART_US)
		(void)nursery_start(&s->options->nursery, &s->pool.ids, &s->endings, &s->nursery,
				    &e);
	if (nursery_is_stuck(s, now)) {
		err_set(&e, ERR_SYSTEM, "the nursery makes no cell any more");
		nursery_failed(s, &e);
	}
	/* Cells that die as they are made: something is wrong with the nursery itself. */
	if (s->pool.failed_in_a_row > MAX_FAILURES) {
		if (s->call_error.kind == ERR_NONE)
			err_set(&s->call_error, ERR_SYSTEM, "the nursery makes no cell that lives");
		e = s->call_error;
		s->call_error.kind = ERR_NONE;
		s->pool.failed_in_a_row = 0;
		nursery_failed(s, &e);
	}
	if (pool_ready(&s->pool) >= s->options->pool) {
		s->was_ready = true;
		tell_ready(s, "ready");
	}
}

static void turn(struct supervisor *s, struct pollfd *slots)
{
	unsigned count = build_slots(s, slots);
	struct signalfd_siginfo info;

	poll(slots, count, timeout_ms(s));
	endings_look(&s->endings);
	if (slots[SLOT_SIGNAL].revents &&
	    read(s->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		s->stop = true;
	attend_all(s, slots);
	if (slots[SLOT_CALLS].revents || slots[SLOT_NURSERY].revents || slots[SLOT_OUT].revents ||
	    slots[SLOT_ERR].revents)
		attend_nursery(s);
	if (slots[SLOT_LISTEN].revents)
		clients_accept(s);
	clients_serve(s);
	fill_pool(s);
	check_clock(s);
}

static int loop(struct supervisor *s, struct err *e)
{
	struct pollfd *slots = calloc(SLOT_CELLS + POOL_MAX + MAX_CLIENTS, sizeof(*slots));

	if (!slots)
		abort();
	s->last_request_us = monotonic_us();
	if (nursery_start(&s->options->nursery, &s->pool.ids, &s->endings, &s->nursery, e)) {
		free(slots);
		return -1;
	}
	while (!s->stop)
		turn(s, slots);
	free(slots);
	*e = s->why;
	return s->why.kind != ERR_NONE && !s->was_ready ? -1 : 0;
}

/* A few for each cell and each client: as many as we may. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Whoever serves holds the lock; who made the socket removes it. */
static int open_socket(struct supervisor *s, int *lock_fd, struct err *e)
{
	return s->listen_fd >= 0 ? runtime_dir_lock(lock_fd, e)
				 : runtime_dir_listen(&s->listen_fd, lock_fd, e);
}

int supervisor_run(const struct supervisor_options *options, struct err *e)
{
	struct supervisor *s = calloc(1, sizeof(*s));
	auto_fd int lock_fd = -1;
	struct sandbox_spec defaults;
	char line[600];
	int bad;

	if (!s)
		abort();
	s->options = options;
	s->ready_fd = options->ready_fd;
	s->listen_fd = options->listen_fd;
	s->signal_fd = -1;
	s->pool.endings = s->sessions.endings = &s->endings;
	raise_descriptor_limit();
	/* As for a run: programs start at the normal priority. Lifting a "nice" takes root. */
	if (geteuid() == 0 || getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
	spec_init(&defaults);
	bad = spec_finish(&defaults, e);
	s->pool.limits = defaults.limits;
	bad = bad || pool_init(&s->pool, e) || watch_signals(&s->signal_fd, e) ||
	      open_socket(s, &lock_fd, e) || loop(s, e);
	sessions_fini(&s->sessions);
	lose_nursery(s);
	endings_fini(&s->endings);
	pool_fini(&s->pool);
	if (lock_fd >= 0 && options->listen_fd < 0)
		runtime_dir_unlink();
	own_close(&s->listen_fd);
	own_close(&lock_fd);
	if (bad)
		tell_ready(s, err_string(e, line, sizeof(line)));
	/* Last: for who asked us to stop, the end of the connection is the end of everything. */
	while (s->client_count)
		clients_drop(s, s->client_count - 1);
	own_close(&s->signal_fd);
	own_close(&s->ready_fd);
	spec_fini(&defaults);
	free(s);
	return bad;
}
