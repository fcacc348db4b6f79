/*
 * call - send one request to a session and receive its answer.
 */
#include "session/call.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"
#include "base/parse.h"
#include "base/random.h"
#include "loop/clock.h"
#include "sandbox/socket_count.h"
#include "sandbox/spawn.h"
#include "session/call_output.h"

#define LATE_US      100000 /* between two checks of a reader that may not read */
#define SETTLE_US    1000   /* between two checks whether an interrupt was sent */
#define LAST_WORD_US 100000 /* for pid 1 of a cell to report its program's end */
#define NEVER        LOOP_NEVER

enum { SLOT_SOCKET, SLOT_PIPE, SLOT_PIDFD, SLOT_OUTPUT, SLOTS = SLOT_OUTPUT + CALL_OUTPUT_SLOTS };

enum phase {
	PHASE_ASKING,
	PHASE_LAST_WORD, /* its channel is closed: pid 1 will report in a moment */
	PHASE_DRAINING,  /* answered or lost: its output is still to be read */
};

struct call {
	struct session *session;
	struct session_call *call;
	struct err *e;
	struct loop loop;
	struct pollfd slots[SLOTS];
	enum phase phase;
	bool failed;
	bool is_over;
	bool abandoned; /* drop the rest of the output */
	struct exchange exchange;
	struct call_output output;
	uint64_t started_us;
	uint64_t oom_kills; /* before the call */
	uint64_t interrupt_at;
	uint64_t settle_by; /* an interrupt is on its way until then at most; 0: none */
	uint64_t retry_at;  /* of an interrupt that waits until the session has read the request */
	uint64_t kill_at;
	uint64_t last_word_at;
	struct socket_count sockets;
};

int call_is_lost(struct err *e, const char *who, const char *why)
{
	return err_set(e, ERR_GONE, "the session is lost: %s%s", who, why);
}

int call_set_lost(struct session_call *call, struct err *e)
{
	call->lost = true;
	err_string(e, call->why, sizeof(call->why));
	return call_is_lost(e, "", call->why);
}

static void call_drain(struct call *x)
{
	x->phase = PHASE_DRAINING; /* from now on only its output matters */
	call_output_drain(&x->output);
}

static void call_lose(struct call *x, const char *why)
{
	session_kill(x->session);
	call_drain(x);
	x->failed = true;
	err_set(x->e, ERR_GONE, "%s", why);
	call_set_lost(x->call, x->e);
}

static void call_lose_by_memory(struct call *x, const char *where)
{
	char text[96];
	char limit[24];

	snprintf(text, sizeof(text), "it exceeded its memory limit of %s%s",
		 format_size(x->session->memory_bytes, limit), where);
	call_lose(x, text);
}

/* The session died by itself, or another process killed it. */
static void call_lose_dead(struct call *x, const char *why)
{
	x->call->died = true;
	if (session_oom_kills(x->session) > x->oom_kills)
		call_lose_by_memory(x, "");
	else
		call_lose(x, why);
}

/*
 * The interpreter has closed its channel, or the pipe of its answer. If it has exited, pid 1
 * reports its status and exits a moment later; read that report from the control socket. Killing
 * the cell now could prevent it.
 */
static void call_lose_channel(struct call *x)
{
	x->phase = PHASE_LAST_WORD;
	x->last_word_at = monotonic_us() + LAST_WORD_US;
}

static void call_check_answer(struct call *x)
{
	if (!exchange_has_answer(&x->exchange, x->call->id)) {
		call_lose(x, "it broke the protocol");
		return;
	}
	x->call->answer = x->exchange.frame.body;
	x->exchange.frame.body = (struct buf){0};
	call_drain(x);
}

static void call_send_more(struct call *x)
{
	enum exchange_event event = exchange_send(&x->exchange);

	if (event == EXCHANGE_HUNG_UP) {
		call_lose_channel(x);
	} else if (event == EXCHANGE_NO_ROOM) {
		x->failed = exchange_no_room(errno, x->e);
		call_drain(x);
	}
}

static void call_receive_more(struct call *x)
{
	switch (exchange_receive(&x->exchange, x->call->answer_max)) {
	case EXCHANGE_GOES_ON:
	case EXCHANGE_NO_ROOM:
		break;
	case EXCHANGE_HUNG_UP:
		call_lose_channel(x);
		break;
	case EXCHANGE_TOO_LARGE:
		call_lose(x, "its answer is too large");
		break;
	case EXCHANGE_TWICE:
		call_lose(x, "it answered more than once");
		break;
	case EXCHANGE_ANSWERED:
		call_check_answer(x);
		break;
	}
}

/* The interpreter would ignore an interrupt that comes before its request: wait for that. */
static void call_try_interrupt(struct call *x)
{
	x->retry_at = monotonic_us() + SETTLE_US;
	if (!x->call->follows && !exchange_is_taken(&x->exchange))
		return;
	child_interrupt(x->session->fds[SESSION_CONTROL]);
	x->retry_at = NEVER;
}

static void call_send_interrupt(struct call *x)
{
	const bool at_deadline = x->call->timed_out;

	x->settle_by = monotonic_us() + SESSION_GRACE_MS * 1000;
	if (at_deadline || !x->call->persists) {
		x->interrupt_at = NEVER;
		x->kill_at = x->settle_by;
	}
	call_try_interrupt(x);
}

/* Interrupting its code failed: kill the session. One that has read half a request is unusable. */
static void call_give_up(struct call *x)
{
	if (!x->call->spares || exchange_is_sending(&x->exchange)) {
		call_lose(x, "its code could not be interrupted");
		return;
	}
	call_drain(x);
	x->failed = x->abandoned = true;
	x->call->left = true;
	err_set(x->e, ERR_BUSY, "the code in the session could not be interrupted, and goes on");
}

static void call_check_sockets(struct call *x, uint64_t now)
{
	struct err why = {0};
	int many = socket_count_look(&x->sockets, now, &why);

	if (many < 0) {
		call_lose(x, why.text);
	} else if (many) {
		x->call->in_sockets = true;
		call_lose_by_memory(x, ", in sockets");
	}
}

static void call_check_clock(struct call *x)
{
	uint64_t now = monotonic_us();

	x->call->timed_out |= now >= x->interrupt_at;
	if (now >= x->interrupt_at)
		call_send_interrupt(x);
	else if (now >= x->retry_at)
		call_try_interrupt(x);
	if (now >= x->kill_at)
		call_give_up(x);
	else
		call_check_sockets(x, now);
}

/* -- the operation --------------------------------------------------------------------------- */

/* Past the deadline, or killed: do not wait for our own reader if it does not read. */
static bool call_is_late(const struct call *x)
{
	return x->call->insisted || x->call->timed_out || monotonic_us() >= x->interrupt_at;
}

/* A signal ends the wait for our own reader if it does not read. */
static bool call_is_drained(struct call *x)
{
	if (call_is_late(x) && call_output_is_stuck(&x->output))
		x->abandoned = true;
	return x->abandoned ||
	       (!call_output_has_pending(&x->output) && !call_output_has_more(&x->output));
}

/* An interrupt that is still on its way would reach the next call. */
static bool call_is_settled(const struct call *x)
{
	return x->failed || !x->settle_by || x->retry_at != NEVER ||
	       monotonic_us() >= x->settle_by ||
	       child_has_interrupted(x->session->fds[SESSION_CONTROL]);
}

static uint64_t call_next_us(const struct call *x)
{
	switch (x->phase) {
	case PHASE_LAST_WORD:
		return x->last_word_at;
	case PHASE_DRAINING:
		if (!call_is_settled(x))
			return monotonic_us() + SETTLE_US;
		if (x->abandoned || !call_output_has_pending(&x->output))
			return 0;
		return call_is_late(x) ? monotonic_us() + LATE_US : x->interrupt_at;
	default:
		return clock_earlier(clock_earlier(x->interrupt_at, x->kill_at),
				     clock_earlier(x->retry_at, x->sockets.next_us));
	}
}

static void call_arrange(struct call *x)
{
	bool asking = x->phase == PHASE_ASKING;
	bool sending = asking && exchange_is_sending(&x->exchange);
	bool alive = x->phase != PHASE_DRAINING;

	x->slots[SLOT_SOCKET] = (struct pollfd){sending ? x->exchange.socket : -1, POLLOUT, 0};
	x->slots[SLOT_PIPE] = (struct pollfd){asking ? x->exchange.pipe : -1, POLLIN, 0};
	x->slots[SLOT_PIDFD] =
		(struct pollfd){alive ? x->session->fds[SESSION_PIDFD] : -1, POLLIN, 0};
	call_output_poll(&x->output, &x->slots[SLOT_OUTPUT]);
	loop_arrange(&x->loop, x->slots, SLOTS, call_next_us(x));
}

static void call_ask(struct call *x)
{
	if (x->slots[SLOT_SOCKET].revents)
		call_send_more(x);
	if (x->phase == PHASE_ASKING && x->slots[SLOT_PIPE].revents)
		call_receive_more(x);
	if (x->phase == PHASE_ASKING && x->slots[SLOT_PIDFD].revents)
		call_lose_dead(x, "it has ended (a crash, or os._exit)");
	if (x->phase == PHASE_ASKING)
		call_check_clock(x);
}

bool call_step(struct call *x)
{
	loop_collect(&x->loop);
	call_output_pump(&x->output, &x->slots[SLOT_OUTPUT]);
	if (x->phase == PHASE_ASKING)
		call_ask(x);
	else if (x->phase == PHASE_LAST_WORD &&
		 (x->slots[SLOT_PIDFD].revents || monotonic_us() >= x->last_word_at))
		call_lose_dead(x, "its interpreter has ended");
	x->is_over = x->phase == PHASE_DRAINING && call_is_drained(x) && call_is_settled(x);
	if (!x->is_over)
		call_arrange(x);
	return x->is_over;
}

struct loop *call_loop(struct call *x)
{
	return &x->loop;
}

void call_interrupt(struct call *x)
{
	x->call->insisted = x->call->interrupted && !x->call->persists;
	x->call->interrupted = true;
	if (x->phase == PHASE_DRAINING)
		x->abandoned |= !x->call->persists;
	else if (x->call->insisted)
		x->kill_at = 0; /* the second interrupt: kill now */
	else if (!x->call->patient)
		call_send_interrupt(x);
	call_arrange(x);
}

static void call_free(struct call *x)
{
	socket_count_end(&x->sockets);
	loop_close(&x->loop);
	exchange_close(&x->exchange);
	free(x);
}

static void call_begin(struct call *x)
{
	x->started_us = monotonic_us();
	x->oom_kills = session_oom_kills(x->session);
	x->kill_at = x->interrupt_at = x->retry_at = NEVER;
	if (x->call->timeout_ms != SPEC_UNLIMITED)
		x->interrupt_at = x->started_us + x->call->timeout_ms * 1000;
	socket_count_start(&x->sockets, x->session->fds[SESSION_PIDFD], x->session->memory_bytes);
	if (x->session->sockets_at_us) /* count ten times a second, however short the calls are */
		x->sockets.next_us = x->session->sockets_at_us;
	call_output_begin(&x->output, &x->session->fds[SESSION_STDOUT], x->call->out, x->call->id,
			  x->call->output_max);
	call_arrange(x);
}

int call_start(struct session *session, const struct call_request *request,
	       struct session_call *call, struct err *e, struct call **out)
{
	struct call *x = own_resize(NULL, 1, sizeof(*x));

	*x = (struct call){.session = session,
			   .call = call,
			   .e = e,
			   .loop = loop_none(),
			   .sockets = socket_count_none()};
	random_bytes(&call->id, sizeof(call->id));
	if (exchange_open(&x->exchange, request, call->id, call_output_has_marks(call->out), e)) {
		call_free(x);
		return -1;
	}
	call_begin(x);
	*out = x;
	return 0;
}

int call_end(struct call *x)
{
	struct session_call *call = x->call;
	int bad;

	if (x->phase != PHASE_DRAINING)
		call_lose(x, "the call was given up");
	else if (!x->is_over)
		x->abandoned = true;
	bad = x->failed ? -1 : 0;
	call->output_error = call_output_end(&x->output, x->abandoned, call->truncated);
	call->duration_us = monotonic_us() - x->started_us;
	x->session->sockets_at_us = x->sockets.next_us;
	call_free(x);
	return bad;
}
