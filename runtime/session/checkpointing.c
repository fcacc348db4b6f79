/*
 * checkpointing - make a checkpoint, or roll a session back to one.
 */
#include "session/checkpointing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "net/message.h"
#include "session/call.h"
#include "session/ping.h"
#include "session/purge.h"
#include "session/threads.h"

#define PURGE_US  2000000 /* for killed processes to be gone */
#define LOOK_US   1000    /* between two checks for that */
#define NEEDS_FDS 10      /* descriptors to end the old state, and to continue */

enum phase {
	PHASE_MAKE,      /* call: make a checkpoint */
	PHASE_MADE,      /* ping: which process is it? */
	PHASE_CHECK,     /* ping: is it still alive? */
	PHASE_PURGE,     /* kill the old state */
	PHASE_RETURN,    /* call: continue */
	PHASE_SUCCESSOR, /* ping: which process is the new copy that waits in its place? */
	PHASE_OVER,
};

struct checkpointing {
	struct session *session;
	struct session_call *call;
	enum phase phase;
	int outcome; /* when over: 0; -1: e */
	struct err e;
	struct loop loop;
	struct call *asking; /* owned; NULL */
	struct ping *ping;   /* owned; NULL, also if sending failed: e */
	struct ping_answer said;
	unsigned interrupts; /* to pass on to the next call */
	/* when making one */
	struct session_checkpoint made;
	/* when rolling back */
	struct session_checkpoint *to;
	struct purge purge;
	uint64_t purge_end_us;
	int channel; /* owned; the session's new channel, until it is sent */
};

static struct session_checkpoint *checkpointing_find(struct session *s, const char *name)
{
	for (unsigned i = 0; i < s->checkpoint_count; i++) {
		if (!strcmp(s->checkpoints[i].name, name))
			return &s->checkpoints[i];
	}
	return NULL;
}

/* -1 if the answer has an "error": *e holds it, after @what. The session continues. */
static int checkpointing_read_refusal(const struct session_call *call, const char *what,
				      struct err *e)
{
	auto_json struct json *answer =
		json_parse(buf_string(&call->answer), call->answer.length, e);
	const char *why = NULL;

	if (!answer || json_get_string(answer, "error", &why, e))
		return -1;
	return why ? err_set(e, ERR_SYSTEM, "%s: %.300s", what, why) : 0;
}

static void checkpointing_finish(struct checkpointing *x, int outcome)
{
	x->outcome = outcome;
	x->phase = PHASE_OVER;
}

static void checkpointing_lose(struct checkpointing *x)
{
	session_kill(x->session);
	checkpointing_finish(x, call_set_lost(x->call, &x->e));
}

/* @handed: owned: always closed. */
static void checkpointing_call(struct checkpointing *x, enum phase phase, int socket,
			       const char *members, int handed)
{
	const struct call_request request = {
		socket, members, strlen(members), {handed}, handed < 0 ? 0 : 1};

	x->phase = phase;
	if (call_start(x->session, &request, x->call, &x->e, &x->asking)) {
		checkpointing_finish(x, -1);
		return;
	}
	for (; x->interrupts > 0; x->interrupts--)
		call_interrupt(x->asking);
}

/* true: the call is over; if it failed, so has the operation. */
static bool checkpointing_call_is_over(struct checkpointing *x)
{
	int bad;

	if (!call_step(x->asking))
		return false;
	bad = call_end(x->asking);
	x->asking = NULL;
	if (bad)
		checkpointing_finish(x, -1);
	return true;
}

static void checkpointing_ping(struct checkpointing *x, enum phase phase, int socket)
{
	x->phase = phase;
	(void)ping_start(socket, &x->ping, &x->e);
}

/* 1: answered, x->said; 0: not yet; -1: x->e. */
static int checkpointing_ping_step(struct checkpointing *x)
{
	if (!x->ping)
		return -1;
	if (!x->call->insisted && !ping_step(x->ping))
		return 0;
	return ping_end(take_ptr(&x->ping), &x->said, &x->e) ? -1 : 1;
}

/* -- making one ------------------------------------------------------------------------------ */

static void checkpointing_step_make(struct checkpointing *x)
{
	if (!checkpointing_call_is_over(x) || x->phase == PHASE_OVER)
		return;
	if (checkpointing_read_refusal(x->call, "no checkpoint", &x->e))
		checkpointing_finish(x, -1);
	else
		checkpointing_ping(x, PHASE_MADE, x->made.socket);
}

static void checkpointing_step_made(struct checkpointing *x)
{
	int answered = checkpointing_ping_step(x);

	if (answered < 0)
		checkpointing_finish(x, -1);
	if (answered <= 0)
		return;
	x->made.pid = x->said.pid;
	x->made.start = purge_find_start(x->session, x->made.pid);
	x->made.is_new = true;
	x->session->checkpoints[x->session->checkpoint_count++] = x->made;
	x->made.socket = -1;
	checkpointing_finish(x, 0);
}

/* -- returning to one ------------------------------------------------------------------------ */

static void checkpointing_purge(struct checkpointing *x)
{
	unsigned kept = (unsigned)(x->to - x->session->checkpoints) + 1;

	x->purge_end_us = monotonic_us() + PURGE_US;
	x->phase = PHASE_PURGE;
	if (purge_start(x->session, kept, x->to->pid, &x->purge, &x->e))
		checkpointing_finish(x, -1);
}

/* A checkpoint is a process: hostile code can kill or stop it, and the memory limit can kill it. */
static void checkpointing_step_check(struct checkpointing *x)
{
	int answered = checkpointing_ping_step(x);

	if (answered > 0 && (x->said.pid != x->to->pid ||
			     purge_find_start(x->session, x->said.pid) != x->to->start))
		answered = err_set(&x->e, ERR_SYSTEM, "the checkpoint has ended (memory limit?)");
	x->call->ends_threads = answered > 0 && threads_refuse(x->said.ends, x->call->force, &x->e);
	if (answered > 0 && !fd_has_room(x->to->socket, NEEDS_FDS))
		answered = err_sys(&x->e, "end the old state");
	if (answered < 0 || x->call->ends_threads)
		checkpointing_finish(x, -1);
	else if (answered)
		checkpointing_purge(x);
}

/* Requests left in the old channel belong to discarded code: give it a new channel. */
static void checkpointing_go_on(struct checkpointing *x)
{
	auto_fd int theirs = -1;

	while (x->session->checkpoint_count > x->purge.kept)
		own_close(&x->session->checkpoints[--x->session->checkpoint_count].socket);
	if (message_pair_down(&x->channel, &theirs)) {
		err_sys(&x->e, "make the session's socket");
		checkpointing_lose(x);
		return;
	}
	checkpointing_call(x, PHASE_RETURN, x->to->socket, "\"op\":\"rollback\"", take_fd(&theirs));
	if (x->phase == PHASE_OVER) /* the old state has ended already */
		checkpointing_lose(x);
}

static void checkpointing_step_purge(struct checkpointing *x)
{
	bool done = purge_step(&x->purge);

	if (!done && monotonic_us() < x->purge_end_us)
		return;
	err_set(&x->e, ERR_SYSTEM, "processes of the old state do not end");
	if (purge_end(&x->purge, &x->e) || !done)
		checkpointing_lose(x);
	else
		checkpointing_go_on(x);
}

static void checkpointing_step_return(struct checkpointing *x)
{
	if (!checkpointing_call_is_over(x) || x->phase == PHASE_OVER)
		return;
	own_close(&x->session->fds[SESSION_CHANNEL]);
	x->session->fds[SESSION_CHANNEL] = take_fd(&x->channel);
	x->session->has_new_channel = true;
	checkpointing_ping(x, PHASE_SUCCESSOR, x->to->socket);
}

/*
 * Record the new copy that waits in its place. Without one, the checkpoint could be restored only
 * once.
 */
static void checkpointing_note_successor(struct checkpointing *x, uint32_t pid)
{
	x->to->pid = pid;
	x->to->start = purge_find_start(x->session, pid);
	checkpointing_finish(
		x, checkpointing_read_refusal(
			   x->call, "rolled back, but not all files could be put back", &x->e));
}

static void checkpointing_step_successor(struct checkpointing *x)
{
	int answered = checkpointing_ping_step(x);

	if (answered)
		checkpointing_note_successor(x, answered > 0 ? x->said.pid : 1);
}

static void checkpointing_arrange(struct checkpointing *x)
{
	if (x->asking)
		loop_follow(&x->loop, call_loop(x->asking), LOOP_NEVER);
	else if (x->ping && !x->call->insisted)
		loop_follow(&x->loop, ping_loop(x->ping), LOOP_NEVER);
	else
		loop_arrange(&x->loop, NULL, 0,
			     x->phase == PHASE_PURGE ? monotonic_us() + LOOK_US : 0);
}

bool checkpointing_step(struct checkpointing *x)
{
	static void (*const steps[])(struct checkpointing *) = {
		[PHASE_MAKE] = checkpointing_step_make,
		[PHASE_MADE] = checkpointing_step_made,
		[PHASE_CHECK] = checkpointing_step_check,
		[PHASE_PURGE] = checkpointing_step_purge,
		[PHASE_RETURN] = checkpointing_step_return,
		[PHASE_SUCCESSOR] = checkpointing_step_successor,
	};

	loop_collect(&x->loop);
	steps[x->phase](x);
	checkpointing_arrange(x);
	return x->phase == PHASE_OVER;
}

struct loop *checkpointing_loop(struct checkpointing *x)
{
	return &x->loop;
}

void checkpointing_interrupt(struct checkpointing *x)
{
	if (x->asking) {
		call_interrupt(x->asking);
	} else if (x->ping) {
		x->call->insisted = x->call->interrupted;
		x->call->interrupted = true;
	} else {
		x->interrupts++;
	}
	checkpointing_arrange(x);
}

static struct checkpointing *checkpointing_new(struct session *session, struct session_call *call)
{
	struct checkpointing *x = own_zeroed(1, sizeof(*x));

	x->session = session;
	x->call = call;
	x->loop = loop_none();
	x->made.socket = x->channel = -1;
	return x;
}

static void checkpointing_free(struct checkpointing *x)
{
	own_close(&x->made.socket);
	own_close(&x->channel);
	loop_close(&x->loop);
	free(x);
}

/* Return the operation, which has started or has already failed. */
static int checkpointing_begun(struct checkpointing *x, struct checkpointing **out, struct err *e)
{
	if (x->phase == PHASE_OVER) {
		*e = x->e;
		checkpointing_free(x);
		return -1;
	}
	checkpointing_arrange(x);
	*out = x;
	return 0;
}

int checkpointing_make(struct session *session, const char *name, struct session_call *call,
		       struct checkpointing **out, struct err *e)
{
	bool taken = checkpointing_find(session, name) != NULL;
	struct checkpointing *x;
	auto_fd int theirs = -1;

	if (taken || session->checkpoint_count == SESSION_MAX_CHECKPOINTS)
		return err_input(e,
				 taken ? "the session has a checkpoint \"%.63s\" already"
				       : "no room for \"%.63s\": 8 checkpoints at most",
				 name);
	x = checkpointing_new(session, call);
	snprintf(x->made.name, sizeof(x->made.name), "%s", name);
	if (message_pair_down(&x->made.socket, &theirs)) {
		err_sys(&x->e, "make the socket of a checkpoint");
		checkpointing_finish(x, -1);
	} else {
		checkpointing_call(x, PHASE_MAKE, session->fds[SESSION_CHANNEL],
				   "\"op\":\"checkpoint\"", take_fd(&theirs));
	}
	return checkpointing_begun(x, out, e);
}

int checkpointing_return(struct session *session, const char *name, struct session_call *call,
			 struct checkpointing **out, struct err *e)
{
	struct session_checkpoint *to = checkpointing_find(session, name);
	struct checkpointing *x;

	if (!to)
		return err_input(e,
				 "no checkpoint \"%.63s\"; glovebox session checkpoints lists them",
				 name);
	x = checkpointing_new(session, call);
	x->to = to;
	purge_wake(session, to->pid);
	checkpointing_ping(x, PHASE_CHECK, to->socket);
	return checkpointing_begun(x, out, e);
}

/* Abandon it in any state. */
static void checkpointing_give_up(struct checkpointing *x)
{
	struct err ignored;

	x->outcome = err_set(&x->e, ERR_SYSTEM, "the checkpoint was given up");
	if (x->asking)
		(void)call_end(x->asking);
	if (x->ping)
		(void)ping_end(x->ping, &x->said, &ignored);
	if (x->phase == PHASE_SUCCESSOR)
		checkpointing_note_successor(x, 1);
	if (x->phase == PHASE_PURGE) {
		(void)purge_end(&x->purge, &ignored);
		checkpointing_lose(x);
	}
}

int checkpointing_end(struct checkpointing *x, struct err *e)
{
	int bad;

	if (x->phase != PHASE_OVER)
		checkpointing_give_up(x);
	bad = x->outcome;
	if (bad)
		*e = x->e;
	checkpointing_free(x);
	return bad;
}
