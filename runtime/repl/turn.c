/*
 * turn - make one call of the prompt's session, while the user watches.
 */
#include "repl/turn.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/own.h"
#include "client/call.h"
#include "repl/typed.h"

#define LOOK_US 50000 /* between two checks whether the code has read a line */

/* @typed: the terminal has echoed ^C. */
static void turn_take_signals(struct turn *t, struct call *x, bool typed)
{
	struct signalfd_siginfo info;

	while (read(t->call.signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			continue;
		if (info.ssi_signo != SIGINT || !isatty(STDIN_FILENO)) {
			t->ended_by = (int)info.ssi_signo;
			t->call.spares = true;
		} else if (typed) {
			fputs("\n", stderr);
		}
		if (!t->call.interrupted)
			call_interrupt(x);
	}
}

/* No event tells that the code waits for input: check at intervals. */
static void turn_wait(struct turn *t, struct call *x, struct typed *typed)
{
	bool open = typed && typed->pipe >= 0;
	bool taken = open && typed_is_taken(typed);
	struct pollfd also[] = {
		{t->call.signal_fd,         POLLIN, 0},
                {taken ? STDIN_FILENO : -1, POLLIN, 0}
        };
	struct loop loop = loop_none();

	loop_follow(&loop, call_loop(x), open && !taken ? monotonic_us() + LOOK_US : LOOP_NEVER);
	loop_wait_also(&loop, also, 2);
	loop_collect(&loop);
	if (also[0].revents)
		turn_take_signals(t, x, typed);
	if (also[1].revents)
		typed_read(typed);
}

static int turn_drive(struct turn *t, struct session *session, const struct call_request *request,
		      struct typed *typed, struct err *e)
{
	struct call *x;

	if (call_start(session, request, &t->call, e, &x))
		return -1;
	do
		turn_wait(t, x, typed);
	while (!call_step(x));
	return call_end(x);
}

static int turn_call(struct turn *t, struct session *session, const struct buf *members,
		     struct typed *typed, int theirs, struct err *e)
{
	const struct call_request request = {session->fds[SESSION_CHANNEL], members->data,
					     members->length, theirs};
	int bad = turn_drive(t, session, &request, typed, e);

	call_result_read(session, &t->call, &t->result);
	return bad;
}

int turn_make(struct turn *t, struct place *place, const struct buf *members, bool reads,
	      struct err *e)
{
	struct patience patience = {reads ? SESSION_WAIT_MS : 0, t->call.signal_fd, 0};
	struct typed typed;
	int theirs = -1;
	int bad;

	if (place_take(place, members->length, &patience, e)) {
		t->stopped_by = patience.signal;
		return -1;
	}
	if (reads && typed_open(&typed, &theirs, e)) {
		place_give_back(place, &t->call, e);
		return -1;
	}
	bad = turn_call(t, &place->session, members, reads ? &typed : NULL, theirs, e);
	if (reads)
		t->untaken = own_strdup(typed_close(&typed));
	place_give_back(place, &t->call, e);
	return bad;
}

void turn_fini(struct turn *t)
{
	buf_fini(&t->call.answer);
	call_result_fini(&t->result);
	free(t->untaken);
	*t = (struct turn){0};
}
