/*
 * session - a cell that keeps its interpreter from call to call.
 */
#include "cell/session.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_strict.h"
#include "base/message.h"
#include "base/own.h"
#include "base/parse.h"
#include "cell/frame.h"
#include "host/socket_count.h"
#include "host/spawn.h"
#include "host/stream.h"

#define GRACE_US      2000000
#define LATE_MS       100  /* between two looks at a reader who may not read */
#define LAST_WORD_MS  100  /* for pid 1 of a cell to report how its program ended */
#define DRAIN_ROUNDS  2048 /* of 64 KiB read or 4 KiB written; the largest pipe is 1 MiB */
#define NEVER         UINT64_MAX
#define REQUEST_FRAME 64     /* more than a request's id and braces */
#define ANSWER_PARTS  200000 /* values; 1,000 displays of 64 representations are far fewer */

struct exchange {
	struct session *session;
	struct session_call *call;
	int socket;
	int pipe;   /* owned; of the answer */
	int theirs; /* owned; its other end, until the request has begun */
	int handed; /* owned; what else goes along, -1 */
	struct buf request;
	size_t sent;
	struct frame frame;
	bool answered;
	bool abandoned; /* what is left to print is given up */
	struct stream out[2];
	uint64_t started_us;
	uint64_t oom_kills; /* before the call */
	uint64_t interrupt_at;
	uint64_t kill_at;
	struct socket_count sockets;
};

static void order_signal(const struct session *s, int number)
{
	struct child child = child_none();

	child.control = s->fds[SESSION_CONTROL];
	child_order(&child, ORDER_SIGNAL, number);
}

static int lose(struct exchange *x, struct err *e, const char *why)
{
	session_kill(x->session);
	x->call->lost = true;
	x->answered = true; /* nothing of it is looked at any more, but for its output */
	return err_set(e, ERR_SYSTEM, SESSION_IS_LOST "%s", why);
}

/* By itself, or by somebody else's hand. */
static int lose_dead(struct exchange *x, struct err *e, const char *why)
{
	char text[96];
	char limit[24];

	x->call->died = true;
	if (session_oom_kills(x->session) <= x->oom_kills)
		return lose(x, e, why);
	snprintf(text, sizeof(text), "it exceeded its memory limit of %s",
		 format_size(x->session->memory_bytes, limit));
	return lose(x, e, text);
}

/*
 * The interpreter has closed its channel, or the pipe of its answer. If it has ended, pid 1 reports
 * how and follows it in a moment; whoever wants to know reads that from the control socket. A kill
 * would come before it.
 */
static int lose_channel(struct exchange *x, struct err *e)
{
	struct pollfd init = {x->session->fds[SESSION_PIDFD], POLLIN, 0};

	(void)poll(&init, 1, LAST_WORD_MS);
	return lose_dead(x, e, "its interpreter has ended");
}

/* Ours by the number; foreign code could know it, and would only fool itself. */
static void write_request(struct exchange *x, const char *members, size_t length)
{
	unsigned char header[FRAME_HEADER];
	char id[32];
	int n;

	if (getrandom(&x->call->id, sizeof(x->call->id), 0) != (ssize_t)sizeof(x->call->id))
		abort();
	n = snprintf(id, sizeof(id), "{\"id\":%u,", x->call->id);
	frame_header((uint32_t)((size_t)n + length + 1), header);
	buf_add(&x->request, header, sizeof(header));
	buf_add(&x->request, id, (size_t)n);
	buf_add(&x->request, members, length);
	buf_text(&x->request, "}");
}

/* Descriptors go along with the first byte; then only the session has them. */
static ssize_t send_part(struct exchange *x)
{
	const int fds[] = {x->theirs, x->handed};
	unsigned count = x->sent ? 0 : x->handed < 0 ? 1 : 2;
	ssize_t n = message_send(x->socket, x->request.data + x->sent, x->request.length - x->sent,
				 fds, count, MSG_DONTWAIT);

	if (n > 0) {
		own_close(&x->theirs);
		own_close(&x->handed);
	}
	return n;
}

static int send_more(struct exchange *x, struct err *e)
{
	ssize_t n = send_part(x);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return lose_channel(x, e);
	x->sent += n > 0 ? (size_t)n : 0;
	return 0;
}

static int check_answer(struct exchange *x, struct err *e)
{
	struct buf *body = &x->frame.body;
	auto_json struct json *answer = NULL;
	uint64_t id = 0;

	/* Before it is parsed: that costs 64 bytes and more of ours for each value. */
	if (!json_check_strict(buf_string(body), body->length, ANSWER_PARTS, e))
		answer = json_parse(buf_string(body), body->length, e);
	if (!answer || json_get_uint(answer, "id", &id, e) || id != x->call->id)
		return lose(x, e, "it broke the protocol");
	x->call->answer = *body;
	*body = (struct buf){0};
	x->answered = true;
	return 0;
}

static int receive_more(struct exchange *x, struct err *e)
{
	char bytes[65536];
	ssize_t n = read(x->pipe, bytes, sizeof(bytes));
	size_t used = 0;
	int done;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return lose_channel(x, e);
	done = frame_add(&x->frame, bytes, (size_t)n, x->call->answer_max, &used, e);
	if (done < 0)
		return lose(x, e, "its answer is too large");
	if (used < (size_t)n)
		return lose(x, e, "it answered more than once");
	return done ? check_answer(x, e) : 0;
}

static void interrupt(struct exchange *x)
{
	order_signal(x->session, SIGINT);
	x->interrupt_at = NEVER;
	x->kill_at = monotonic_us() + GRACE_US;
}

static int check_sockets(struct exchange *x, uint64_t now, struct err *e)
{
	struct err why = {0};
	char text[96];
	char limit[24];
	int many = socket_count_look(&x->sockets, now, &why);

	if (many < 0)
		return lose(x, e, why.text);
	if (!many)
		return 0;
	snprintf(text, sizeof(text), "it exceeded its memory limit of %s, in sockets",
		 format_size(x->session->memory_bytes, limit));
	return lose(x, e, text);
}

static int check_clock(struct exchange *x, struct err *e)
{
	uint64_t now = monotonic_us();

	if (now >= x->interrupt_at) {
		x->call->timed_out = true;
		interrupt(x);
	}
	if (now >= x->kill_at)
		return lose(x, e, "its code could not be interrupted");
	return check_sockets(x, now, e);
}

static void on_signal(struct exchange *x)
{
	if (!session_call_signals(x->call))
		return;
	if (x->answered)
		x->abandoned = true;
	else if (x->call->insisted)
		x->kill_at = 0; /* asked twice: now */
	else if (!x->call->patient)
		interrupt(x);
}

static int timeout_ms(const struct exchange *x)
{
	uint64_t next = x->interrupt_at < x->kill_at ? x->interrupt_at : x->kill_at;
	uint64_t now = monotonic_us();

	if (x->sockets.next_us < next)
		next = x->sockets.next_us;
	if (next == NEVER)
		return -1;
	if (next <= now)
		return 0;
	return next - now > 1000000000ull ? 1000000 : (int)((next - now + 999) / 1000);
}

enum {
	SLOT_SOCKET,
	SLOT_PIPE,
	SLOT_PIDFD,
	SLOT_SIGNAL,
	SLOT_OUT,
	SLOT_ERR = SLOT_OUT + 2,
	SLOTS = SLOT_ERR + 2
};

/* One round. Returns how many slots were ready. */
static int turn(struct exchange *x, int timeout, struct err *e)
{
	struct pollfd fds[SLOTS];
	int ready;

	fds[SLOT_SOCKET] =
		(struct pollfd){.fd = x->answered || x->sent == x->request.length ? -1 : x->socket,
				.events = POLLOUT};
	fds[SLOT_PIPE] = (struct pollfd){.fd = x->answered ? -1 : x->pipe, .events = POLLIN};
	fds[SLOT_PIDFD] = (struct pollfd){.fd = x->answered ? -1 : x->session->fds[SESSION_PIDFD],
					  .events = POLLIN};
	fds[SLOT_SIGNAL] = (struct pollfd){.fd = x->call->signal_fd, .events = POLLIN};
	stream_poll(&x->out[0], &fds[SLOT_OUT]);
	stream_poll(&x->out[1], &fds[SLOT_ERR]);
	ready = poll(fds, SLOTS, timeout);
	stream_pump(&x->out[0], &fds[SLOT_OUT]);
	stream_pump(&x->out[1], &fds[SLOT_ERR]);
	if (fds[SLOT_SIGNAL].revents)
		on_signal(x);
	if (fds[SLOT_SOCKET].revents && send_more(x, e))
		return -1;
	if (fds[SLOT_PIPE].revents && receive_more(x, e))
		return -1;
	if (!x->answered && fds[SLOT_PIDFD].revents)
		return lose_dead(x, e, "it has ended (a crash, or os._exit)");
	if (!x->answered && check_clock(x, e))
		return -1;
	return ready;
}

static void start_streams(struct exchange *x)
{
	static const int targets[2] = {STDOUT_FILENO, STDERR_FILENO};

	for (int i = 0; i < 2; i++) {
		stream_init(&x->out[i], x->session->fds[SESSION_STDOUT + i],
			    x->call->forward ? targets[i] : -1);
		x->out[i].limit = x->call->output_max;
		x->out[i].capture = x->call->captured ? &x->call->captured[i] : NULL;
	}
}

/* Ten times a second, however short the calls are. */
static void start_sockets(struct exchange *x)
{
	socket_count_start(&x->sockets, x->session->fds[SESSION_PIDFD], x->session->memory_bytes);
	if (x->session->sockets_at_us)
		x->sockets.next_us = x->session->sockets_at_us;
}

static bool has_pending(const struct exchange *x)
{
	return x->out[0].start < x->out[0].end || x->out[1].start < x->out[1].end;
}

/* Past its deadline a call does not wait for a reader of ours that does not read. */
static int drain_once(struct exchange *x, int timeout, struct err *e)
{
	bool late = x->call->timed_out || monotonic_us() >= x->interrupt_at;
	int ready = turn(x, late && timeout < 0 ? LATE_MS : timeout, e);

	if (late && (stream_is_stuck(&x->out[0]) || stream_is_stuck(&x->out[1])))
		x->abandoned = true;
	return ready;
}

/*
 * What was printed before the answer is in the pipes by now: a bounded number of rounds
 * reads it, however much a process left behind goes on writing. A signal ends the wait for a
 * reader of ours that does not read.
 */
static int drain(struct exchange *x, struct err *e)
{
	int ready = 1;

	for (int round = 0; ready > 0 && round < DRAIN_ROUNDS && !x->abandoned; round++)
		ready = drain_once(x, has_pending(x) ? -1 : 0, e);
	while (ready >= 0 && has_pending(x) && !x->abandoned)
		ready = drain_once(x, -1, e);
	/* What nobody takes is not to be printed by the next call. */
	for (int i = 0; i < 2 && x->abandoned; i++)
		stream_discard(&x->out[i], DRAIN_ROUNDS);
	return ready < 0 ? -1 : 0;
}

static void exchange_free(struct exchange *x)
{
	socket_count_end(&x->sockets);
	own_close(&x->pipe);
	own_close(&x->theirs);
	own_close(&x->handed);
	buf_fini(&x->request);
	frame_fini(&x->frame);
	free(x);
}

static int exchange(struct exchange *x, struct err *e)
{
	struct session_call *call = x->call;
	int bad = 0;

	x->started_us = monotonic_us();
	x->oom_kills = session_oom_kills(x->session);
	x->kill_at = x->interrupt_at = NEVER;
	if (call->timeout_ms != SPEC_UNLIMITED)
		x->interrupt_at = x->started_us + call->timeout_ms * 1000;
	start_sockets(x);
	start_streams(x);
	while (!bad && !x->answered)
		bad = turn(x, timeout_ms(x), e) < 0;
	bad = drain(x, e) < 0 || bad ? -1 : 0;
	for (int i = 0; i < 2; i++)
		call->truncated[i] = x->out[i].truncated;
	call->output_error = x->out[0].lost ? x->out[0].error : 0;
	call->duration_us = monotonic_us() - x->started_us;
	x->session->sockets_at_us = x->sockets.next_us;
	exchange_free(x);
	return bad;
}

int session_hand(struct session *session, int socket, const char *members, size_t length,
		 int handed, struct session_call *call, struct err *e)
{
	auto_fd int owned = handed;
	struct exchange *x;

	if (length > SESSION_REQUEST_MAX - REQUEST_FRAME)
		return err_input(e, "the code takes %zu MiB as JSON: 64 MiB at most", length >> 20);
	x = calloc(1, sizeof(*x));
	if (!x)
		abort();
	*x = (struct exchange){
		.session = session,
		.call = call,
		.socket = socket,
		.pipe = -1,
		.theirs = -1,
		.handed = take_fd(&owned),
		.sockets = socket_count_none(),
	};
	if (frame_pipe(&x->pipe, &x->theirs)) {
		exchange_free(x);
		return err_sys(e, "make the pipe of an answer");
	}
	write_request(x, members, length);
	return exchange(x, e);
}

int session_ask(struct session *session, int socket, const char *members, size_t length,
		struct session_call *call, struct err *e)
{
	return session_hand(session, socket, members, length, -1, call, e);
}
