/*
 * ask - send one request to a warm supervisor and receive its answer.
 */
#include "client/ask.h"

#include <poll.h>
#include <stdlib.h>

#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "wire/runtime_dir.h"

#define ANSWER_US  60000000 /* longer than the supervisor lets a client wait */
#define CONNECT_US 5000000
#define AGAIN_US   5000 /* between attempts to connect, while the supervisor's queue is full */
#define SILENCE_US 2000000
#define ALIVE_US   3000000

enum { SLOT_SOCKET, SLOT_PROBE, SLOTS };

/* A connection to be made, and the request to send on it. */
struct line {
	const char *where; /* borrowed */
	int socket;
	int own; /* owned; -1 */
	struct buf request;
	const int *fds; /* borrowed */
	unsigned fd_count;
	bool is_open;    /* connected, and the request is sent */
	uint64_t end_us; /* deadline */
};

struct ask {
	enum op op;
	struct line line;
	struct line probe; /* asks whether the supervisor is alive */
	bool is_probing;
	bool is_over;
	bool has_answer;
	uint64_t silent_us; /* when to send the probe */
	struct wire_message answer;
	struct err e;
	struct loop loop;
	struct pollfd slots[SLOTS];
};

/* -- a line ---------------------------------------------------------------------------------- */

static struct line ask_line(const char *where, int socket, enum op op, const void *fields)
{
	struct line line = {.where = where, .socket = socket, .own = -1};

	line.end_us = monotonic_us() + CONNECT_US;
	op_request_write(op, fields, &line.request);
	return line;
}

static struct line ask_no_line(void)
{
	return (struct line){.socket = -1, .own = -1};
}

static void ask_close_line(struct line *line)
{
	own_close(&line->own);
	buf_fini(&line->request);
}

static int ask_finds_none(struct err *e)
{
	return err_set(e, ERR_NOT_FOUND,
		       "no warm supervisor is running; glovebox warm start makes one");
}

/* 1: connected; 0: the queue is full (a stopped supervisor does not accept); -1: *e. */
static int ask_connect(struct line *line, struct err *e)
{
	int found = line->socket < 0 ? runtime_dir_connect(line->where, &line->own, e) : 0;

	if (found > 0)
		return ask_finds_none(e);
	if (found < 0)
		return e->kind == ERR_BUSY && monotonic_us() < line->end_us ? 0 : -1;
	if (line->socket < 0)
		line->socket = line->own;
	return 1;
}

/* 1: the request is sent, to be answered within @max_us; 0: not yet; -1: *e. */
static int ask_open_line(struct line *line, uint64_t max_us, struct err *e)
{
	int connected = ask_connect(line, e);

	if (connected <= 0)
		return connected;
	/*
	 * A supervisor that refuses a connection answers before it reads the request: sending may
	 * fail.
	 */
	if (wire_send(line->socket, line->request.data, line->request.length, line->fds,
		      line->fd_count, e) &&
	    !fd_is_ready(line->socket, POLLIN))
		return -1;
	line->is_open = true;
	line->end_us = monotonic_us() + max_us;
	return 1;
}

static struct pollfd ask_slot(const struct line *line)
{
	return (struct pollfd){line->is_open ? line->socket : -1, POLLIN, 0};
}

/* -- the operation --------------------------------------------------------------------------- */

static void ask_give_up(struct ask *x)
{
	err_set(&x->e, ERR_SYSTEM, "the warm supervisor does not answer: is it stopped?");
	x->is_over = true;
}

static void ask_send(struct ask *x)
{
	x->is_over = ask_open_line(&x->line, ANSWER_US, &x->e) < 0;
	x->silent_us = monotonic_us() + SILENCE_US;
}

static void ask_receive(struct ask *x)
{
	int got = wire_receive(x->line.socket, &x->answer, &x->e);

	if (!got)
		err_set(&x->e, ERR_SYSTEM, "the warm supervisor hung up");
	/* The supervisor was exiting when we connected, and has not read the request. */
	if (got < 0 && x->e.number == ECONNRESET)
		ask_finds_none(&x->e);
	x->has_answer = got > 0;
	x->is_over = true;
}

static void ask_end_probe(struct ask *x)
{
	ask_close_line(&x->probe);
	x->probe = ask_no_line();
	x->slots[SLOT_PROBE].revents = 0; /* events of the old probe */
	x->is_probing = false;
	x->silent_us = monotonic_us() + SILENCE_US;
}

static void ask_probe(struct ask *x)
{
	struct err ignored;

	if (!x->is_probing)
		x->probe = ask_line(x->line.where, -1, OP_ALIVE, NULL);
	x->is_probing = true;
	if (x->slots[SLOT_PROBE].revents)
		ask_end_probe(x);
	else if (monotonic_us() >= x->probe.end_us ||
		 (!x->probe.is_open && ask_open_line(&x->probe, ALIVE_US, &ignored) < 0))
		ask_give_up(x);
}

static void ask_await(struct ask *x)
{
	uint64_t now_us = monotonic_us();

	if (x->slots[SLOT_SOCKET].revents)
		ask_receive(x);
	else if (x->is_probing || (now_us >= x->silent_us && now_us < x->line.end_us))
		ask_probe(x);
	else if (now_us >= x->line.end_us)
		ask_give_up(x);
}

static uint64_t ask_next_us(const struct ask *x)
{
	const struct line *line = x->is_probing ? &x->probe : &x->line;

	if (!line->is_open)
		return monotonic_us() + AGAIN_US;
	return x->is_probing ? line->end_us : clock_earlier(x->silent_us, line->end_us);
}

static void ask_arrange(struct ask *x)
{
	x->slots[SLOT_SOCKET] = ask_slot(&x->line);
	x->slots[SLOT_PROBE] = ask_slot(&x->probe);
	loop_arrange(&x->loop, x->slots, SLOTS, ask_next_us(x));
}

bool ask_step(struct ask *x)
{
	loop_collect(&x->loop);
	if (!x->line.is_open)
		ask_send(x);
	else
		ask_await(x);
	if (!x->is_over)
		ask_arrange(x);
	return x->is_over;
}

struct loop *ask_loop(struct ask *x)
{
	return &x->loop;
}

struct ask *ask_start(const char *where, int socket, enum op op, const void *fields, const int *fds,
		      unsigned fd_count)
{
	struct ask *x = own_zeroed(1, sizeof(*x));

	x->op = op;
	x->loop = loop_none();
	x->line = ask_line(where, socket, op, fields);
	x->line.fds = fds;
	x->line.fd_count = fd_count;
	x->probe = ask_no_line();
	err_set(&x->e, ERR_SYSTEM, "the question to the warm supervisor was given up");
	loop_arrange(&x->loop, x->slots, 0, 0); /* at once */
	return x;
}

void ask_abandon(struct ask *x)
{
	struct op_answer answer;
	struct err ignored;

	if (x && !ask_end(x, NULL, &answer, &ignored))
		op_answer_fini(&answer);
}

int ask_end(struct ask *x, int *connection, struct op_answer *out, struct err *e)
{
	int bad = -1;

	if (x->has_answer)
		bad = op_answer_read(x->op, &x->answer, out, e);
	else
		*e = x->e;
	if (connection && !bad)
		*connection = take_fd(&x->line.own);
	ask_close_line(&x->line);
	ask_close_line(&x->probe);
	loop_close(&x->loop);
	free(x);
	return bad;
}
