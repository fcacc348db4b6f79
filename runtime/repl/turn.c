/*
 * turn - make one call of the prompt's session, while the user watches.
 */
#include "repl/turn.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/clock.h"
#include "repl/typed.h"

#define LOOK_US 50000 /* between two checks whether the code has read a line */

struct turning {
	struct turn *turn;
	struct typed *typed; /* NULL: what is typed waits in the terminal */
	bool pings;          /* only waits for code that was left in the session */
	bool is_waiting;     /* the user's request is not sent yet */
	bool is_over;
	struct hub *hub;
	struct notebook *notebook;
	struct hub_watch signals;
	struct hub_watch terminal;
	struct hub_timer look;
};

static void turn_done(void *context)
{
	((struct turning *)context)->is_over = true;
}

/* -- what is typed --------------------------------------------------------------------------- */

/* No event tells that the code waits for input: check at intervals. */
static void turn_look(void *context)
{
	struct turning *x = context;
	struct err ignored;

	if (!x->typed || x->typed->pipe < 0)
		return;
	if (!typed_is_taken(x->typed) ||
	    hub_watch(x->hub, &x->terminal, STDIN_FILENO, EPOLLIN, &ignored))
		hub_ring(x->hub, &x->look, monotonic_us() + LOOK_US);
}

static void turn_read(void *context, uint32_t events)
{
	struct turning *x = context;

	(void)events;
	typed_read(x->typed);
	hub_unwatch(x->hub, &x->terminal);
	turn_look(x);
}

static void turn_begun(void *context)
{
	struct turning *x = context;

	x->is_waiting = x->pings;
	turn_look(x);
}

/* -- signals --------------------------------------------------------------------------------- */

/* Before the request is sent: stop waiting for the session. */
static void turn_stop_waiting(struct turning *x, int number)
{
	x->turn->stopped_by = number;
	notebook_cancel(x->notebook);
}

static void turn_take_signal(struct turning *x, int number)
{
	if (x->is_waiting) {
		turn_stop_waiting(x, number);
	} else if (number != SIGINT || !isatty(STDIN_FILENO)) {
		x->turn->ended_by = number;
		notebook_leave(x->notebook);
	} else {
		if (x->typed) /* the terminal has echoed ^C */
			fputs("\n", stderr);
		notebook_interrupt(x->notebook);
	}
}

static void turn_take_signals(void *context, uint32_t events)
{
	struct turning *x = context;
	struct signalfd_siginfo info;

	(void)events;
	while (!x->is_over && read(x->signals.fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo != SIGWINCH)
			turn_take_signal(x, (int)info.ssi_signo);
	}
}

/* -- the call -------------------------------------------------------------------------------- */

static int turn_start(struct turning *x, const struct notebook_request *request,
		      struct notebook_result *result, struct err *e)
{
	struct notebook_request with = *request;

	x->signals = (struct hub_watch){.ready = turn_take_signals, .context = x, .fd = -1};
	x->terminal = (struct hub_watch){.ready = turn_read, .context = x, .fd = -1};
	x->look = (struct hub_timer){.ring = turn_look, .context = x};
	with.call.begun = turn_begun;
	return hub_watch(x->hub, &x->signals, x->turn->signal_fd, EPOLLIN, e) ||
			       notebook_start(x->hub, &with, result, turn_done, x, &x->notebook, e)
		       ? -1
		       : 0;
}

static int turn_drive(struct turning *x, const struct notebook_request *request,
		      struct notebook_result *result, struct err *e)
{
	int bad;

	*result = (struct notebook_result){0};
	x->is_waiting = true;
	x->hub = hub_open_lone();
	bad = turn_start(x, request, result, e);
	while (!bad && !x->is_over)
		hub_turn(x->hub);
	hub_unwatch(x->hub, &x->signals);
	hub_unwatch(x->hub, &x->terminal);
	hub_silence(x->hub, &x->look);
	notebook_free(x->notebook);
	hub_close(x->hub);
	if (bad)
		return -1;
	if (result->failed)
		*e = result->error;
	else if (x->turn->stopped_by)
		return err_set(e, ERR_BUSY, "the session is busy");
	return result->failed ? -1 : 0;
}

/* In a session of our own we interrupt the leftover code; in others the supervisor does. */
static int turn_await_left(struct turn *t, struct place *place, struct err *e)
{
	static const char ping[] = "\"op\":\"ping\"";
	struct turning x = {.turn = t, .pings = true};
	const struct notebook_request request = {
		.action = NOTEBOOK_ASK,
		.own = &place->own,
		.call = {.source = ping,
			 .length = strlen(ping),
			 .spares = true,
			 .timeout_ms = SESSION_WAIT_MS,
			 .answer_max = 4096,
			 .out = {{.fd = -1}, {.fd = -1}}}
        };
	struct notebook_result result;
	int bad = turn_drive(&x, &request, &result, e);

	place_note(place, &result.call);
	notebook_result_fini(&result);
	return bad;
}

static int turn_prepare(struct turn *t, struct place *place, bool reads, struct err *e)
{
	if (!reads && place_would_wait(place))
		return err_set(e, ERR_BUSY, "the session is busy");
	if (place_start(place, e) ||
	    (!place->name && place->is_left && turn_await_left(t, place, e)))
		return -1;
	t->request.action = NOTEBOOK_ASK;
	t->request.name = place->name;
	t->request.own = place->name ? NULL : &place->own;
	t->request.call.at_once = !reads;
	return 0;
}

int turn_make(struct turn *t, struct place *place, const struct buf *members, bool reads,
	      struct err *e)
{
	auto_fd int theirs = -1;
	struct typed typed = {.pipe = -1};
	struct turning x = {.turn = t, .typed = reads ? &typed : NULL};
	int bad;

	if (turn_prepare(t, place, reads, e) || (reads && typed_open(&typed, &theirs, e)))
		return -1;
	t->request.call.source = members->data;
	t->request.call.length = members->length;
	t->request.call.handed = &theirs;
	t->request.call.handed_count = reads ? 1 : 0;
	bad = turn_drive(&x, &t->request, &t->result, e);
	if (reads)
		t->untaken = own_strdup(typed_close(&typed));
	place_note(place, &t->result.call);
	return bad;
}

void turn_fini(struct turn *t)
{
	notebook_result_fini(&t->result);
	free(t->untaken);
	*t = (struct turn){0};
}
