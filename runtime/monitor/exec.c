/*
 * exec - start a program in a sandbox that stays, and relay its streams: the client's side.
 */
#include "monitor/exec.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "client/session_door.h"
#include "inside/door.h"
#include "loop/fd.h"
#include "monitor/ask.h"
#include "monitor/reopen.h"
#include "sandbox/spawn.h"
#include "workspace/mover_file.h"

enum { SLOT_MONITOR, SLOT_REPORTS, SLOT_STREAMS };
#define SLOT_COUNT (SLOT_STREAMS + STREAMS_SLOTS)

enum exec_program { EXEC_THEIRS, EXEC_MOVER, EXEC_MOVER_OF_LAYERS };

struct exec {
	struct loop loop;
	struct pollfd slots[SLOT_COUNT];
	int socket; /* owned; tells the end: to the monitor, or of a session from its pid 1 */
	struct session_door door;  /* of a session; else none */
	struct reopened *reopened; /* borrowed; NULL */
	struct child child;        /* what belongs to the program */
	struct streams streams;
	bool tty;
	bool started;
	bool ended;
	bool known;       /* its status */
	uint64_t came[2]; /* of its output, when it had ended */
	bool unread;      /* our own reader has closed: leave, and the program gets SIGPIPE */
	int status;
	bool failed;
	struct err error;
};

/* -- asking ---------------------------------------------------------------------------------- */

static int exec_check_words(const struct string_list *words, struct err *e)
{
	if (words->count > MESSAGE_WORDS)
		return err_input(e, "more than %d words or variables", MESSAGE_WORDS);
	return record_check_words(words->items, words->count, e);
}

static void exec_add_size(struct monitor_request *request)
{
	uint16_t rows;
	uint16_t columns;

	terminal_size(&rows, &columns);
	request->rows = rows;
	request->columns = columns;
}

/* @argv, @env of the result are owned. */
static int exec_request(const struct door_wish *wish, struct monitor_request *out, struct err *e)
{
	*out = (struct monitor_request){.op = "exec",
					.workdir = wish->workdir,
					.interactive = wish->interactive,
					.tty = wish->tty,
					.mute = wish->mute};
	if (exec_check_words(&wish->argv, e) || exec_check_words(&wish->env, e))
		return -1;
	if (wish->tty)
		exec_add_size(out);
	out->argv = message_words(wish->argv.items, wish->argv.count);
	out->env = message_words(wish->env.items, wish->env.count);
	return 0;
}

static int exec_ask(const struct exec *x, const struct door_wish *wish, enum exec_program program,
		    struct err *e)
{
	struct monitor_request request;
	int bad = exec_request(wish, &request, e);

	request.mover = program != EXEC_THEIRS;
	request.layers = program == EXEC_MOVER_OF_LAYERS;
	bad = bad || ask_send(x->socket, &request, e);
	form_fini(&monitor_request_form, &request);
	return bad ? -1 : 0;
}

int exec_keep(const struct record *r, const struct door_wish *wish, uint64_t log_bytes,
	      uint32_t *number, struct err *e)
{
	struct monitor_answer answer = {0};
	struct monitor_request request;
	int bad = exec_request(wish, &request, e);

	request.keep = true;
	request.log_bytes = log_bytes;
	bad = bad || ask_once(r, &request, &answer, e);
	*number = (uint32_t)answer.exec;
	form_fini(&monitor_request_form, &request);
	form_fini(&monitor_answer_form, &answer);
	return bad ? -1 : 0;
}

static int exec_take_answer(struct exec *x, const struct door_wish *wish, struct err *e)
{
	struct monitor_answer answer = {0};
	struct wire_message m;
	unsigned at = 0;
	int n = ask_receive(x->socket, &answer, &m, e);
	const unsigned pipes = wish->tty || wish->mute ? 0 : 2 + wish->interactive;

	if (n == 0 || (n == 1 && answer.ended))
		n = err_set(e, ERR_GONE, "the sandbox has ended");
	if (n == 1 && m.fd_count != 1 + pipes)
		n = err_set(e, ERR_LIMIT, "this process has no descriptors left: raise ulimit -n");
	if (n == 1) {
		x->child.reports = wire_take(&m, at++);
		if (pipes == 3)
			x->child.input = wire_take(&m, at++);
		for (int i = 0; pipes && i < 2; i++)
			x->child.output[i] = wire_take(&m, at++);
	}
	wire_fini(&m);
	form_fini(&monitor_answer_form, &answer);
	return n == 1 ? 0 : -1;
}

/* -- what happens ---------------------------------------------------------------------------- */

static void exec_on_reports(struct exec *x, short events)
{
	struct report r;
	int fd;

	while (child_receive(x->child.reports, &r, &fd)) {
		if (r.kind == REPORT_ERROR) {
			x->error = r.error;
			door_explain(&x->error);
			x->failed = true;
		}
		if (r.kind == REPORT_FD_PTY && x->tty && !streams_have_pty(&x->streams))
			streams_take_pty(&x->streams, take_fd(&fd));
		own_close(&fd);
	}
	if (events & POLLHUP) {
		x->started = true;
		own_close(&x->child.reports);
	}
}

static void exec_has_ended(struct exec *x, bool known, int status)
{
	x->ended = true;
	x->known = known;
	x->status = status;
	for (int i = 0; i < 2; i++)
		x->came[i] = x->streams.out[i].came;
	streams_end_input(&x->streams);
	own_close(&x->socket);
}

static void exec_on_monitor(struct exec *x)
{
	struct monitor_answer answer = {0};
	struct wire_message m;
	struct err ignored;
	int n = ask_receive(x->socket, &answer, &m, &ignored);

	if (n <= 0 || answer.ended)
		exec_has_ended(x, n == 1 && answer.exec, (int)answer.status);
	wire_fini(&m);
	form_fini(&monitor_answer_form, &answer);
}

static void exec_on_session(struct exec *x)
{
	struct report r;
	int fd = -1;
	const bool known = child_receive(x->socket, &r, &fd);

	own_close(&fd);
	exec_has_ended(x, known, known ? r.value : 0);
}

static void exec_on_reopened(struct exec *x)
{
	int status = 0;
	const enum reopened_step step = reopened_step(x->reopened, &status);

	if (step != REOPENED_RUNS)
		exec_has_ended(x, step == REOPENED_EXEC_ENDED, status);
}

static void exec_on_end(struct exec *x)
{
	if (x->reopened)
		exec_on_reopened(x);
	else if (x->door.control >= 0)
		exec_on_session(x);
	else
		exec_on_monitor(x);
}

static void exec_arrange(struct exec *x)
{
	struct pollfd *slots = x->slots;
	struct err ignored;
	const int end = x->reopened && !x->ended ? reopened_fd(x->reopened, &ignored) : x->socket;

	slots[SLOT_MONITOR] = (struct pollfd){end, POLLIN, 0};
	slots[SLOT_REPORTS] = (struct pollfd){x->child.reports, POLLIN, 0};
	streams_poll(&x->streams, &slots[SLOT_STREAMS]);
	loop_arrange(&x->loop, slots, SLOT_COUNT,
		     x->ended && !streams_have_pending(&x->streams) ? 0 : LOOP_NEVER);
}

/*
 * After its end only what is in the pipes already counts: another process of the sandbox may hold
 * them open for ever, and fill them.
 */
static bool exec_is_drained(const struct exec *x)
{
	for (int i = 0; i < 2; i++) {
		const struct stream *out = &x->streams.out[i];

		if (out->from >= 0 && out->came - x->came[i] < STREAM_HELD &&
		    fd_is_ready(out->from, POLLIN))
			return false;
	}
	return !streams_have_pending(&x->streams);
}

struct loop *exec_loop(struct exec *x)
{
	return &x->loop;
}

bool exec_step(struct exec *x)
{
	/* Its output is in its streams since before the last look at them. */
	const bool had_ended = x->ended && x->child.reports < 0;
	int error;

	loop_collect(&x->loop);
	if (x->slots[SLOT_REPORTS].revents)
		exec_on_reports(x, x->slots[SLOT_REPORTS].revents);
	streams_pump(&x->streams, &x->slots[SLOT_STREAMS]);
	if (x->slots[SLOT_MONITOR].revents)
		exec_on_end(x);
	x->unread = streams_have_no_reader(&x->streams, had_ended, &error);
	if (x->unread ||
	    (had_ended && (streams_are_done(&x->streams, false) || exec_is_drained(x))))
		return true;
	exec_arrange(x);
	return false;
}

bool exec_has_started(const struct exec *x)
{
	return x->started || x->failed;
}

void exec_signal(struct exec *x, int number)
{
	const struct monitor_request request = {
		.op = "signal", .number = (uint64_t)number, .group = true};
	struct err ignored;

	if (number == SIGWINCH)
		terminal_resize(&x->streams.terminal);
	else if (x->door.control >= 0)
		child_order_exec(x->door.control, ORDER_GROUP, number, x->door.exec);
	else if (x->socket >= 0)
		(void)ask_send(x->socket, &request, &ignored);
}

/* -- its life -------------------------------------------------------------------------------- */

static int exec_begin_in_sandbox(struct exec *x, const struct record *r,
				 const struct door_wish *wish, enum exec_program program,
				 struct err *e)
{
	x->socket = ask_connect(r, e);
	return x->socket < 0 || exec_ask(x, wish, program, e) || exec_take_answer(x, wish, e) ? -1
											      : 0;
}

static int exec_begin_in_session(struct exec *x, const struct record *r, struct door_wish *wish,
				 struct err *e)
{
	const char *where = *r->supervisor ? r->supervisor : NULL;

	if (wish->tty)
		terminal_size(&wish->rows, &wish->columns);
	if (session_door_open(where, r->name, &x->door, e) ||
	    session_door_order(&x->door, wish, &x->child, e))
		return -1;
	x->socket = take_fd(&x->child.ends);
	return 0;
}

static int exec_begin_in_reopened(struct exec *x, struct reopened *reopened,
				  const struct door_wish *wish, bool layers, struct err *e)
{
	x->reopened = reopened;
	return reopened_fd(reopened, e) < 0 || reopened_exec(reopened, wish, layers, &x->child, e)
		       ? -1
		       : 0;
}

/* Pid 1 is ordered by us, and not by a monitor. */
static int exec_begin_directly(struct exec *x, const struct record *r, const struct door_wish *wish,
			       enum exec_program program, struct err *e)
{
	auto_free char **argv = own_zeroed(wish->argv.count + 2, sizeof(*argv));
	auto_fd int mover = program != EXEC_THEIRS ? mover_file(e) : -1;
	struct door_wish full = *wish;
	size_t count = 0;

	if (program != EXEC_THEIRS && mover < 0)
		return -1;
	if (mover >= 0)
		argv[count++] = (char *)DOOR_PROGRAM;
	for (size_t i = 0; i < wish->argv.count; i++)
		argv[count++] = wish->argv.items[i];
	full.argv = (struct string_list){argv, count};
	full.program = mover;
	return r->is_session ? exec_begin_in_session(x, r, &full, e)
			     : exec_begin_in_reopened(x, r->reopened, &full,
						      program == EXEC_MOVER_OF_LAYERS, e);
}

static int exec_begin(const struct record *r, const struct door_wish *wish,
		      enum exec_program program, const struct run_io *io, struct exec **out,
		      struct err *e)
{
	struct exec *x = own_zeroed(1, sizeof(*x));
	struct err ignored;
	int status;

	*x = (struct exec){.loop = loop_none(),
			   .child = child_none(),
			   .socket = -1,
			   .door = session_door_none(),
			   .tty = wish->tty};
	streams_begin(&x->streams, io, wish->interactive, UINT64_MAX);
	if (r->is_session || r->reopened ? exec_begin_directly(x, r, wish, program, e)
					 : exec_begin_in_sandbox(x, r, wish, program, e)) {
		(void)exec_end(x, &status, &ignored);
		return -1;
	}
	streams_take(&x->streams, &x->child.input, x->child.output);
	exec_arrange(x);
	*out = x;
	return 0;
}

int exec_start(const struct record *r, const struct door_wish *wish, const struct run_io *io,
	       struct exec **out, struct err *e)
{
	return exec_begin(r, wish, EXEC_THEIRS, io, out, e);
}

int exec_start_mover(const struct record *r, const struct door_wish *wish, bool layers,
		     const struct run_io *io, struct exec **out, struct err *e)
{
	return exec_begin(r, wish, layers ? EXEC_MOVER_OF_LAYERS : EXEC_MOVER, io, out, e);
}

int exec_end(struct exec *x, int *status, struct err *e)
{
	bool truncated[2];
	int bad = 0;

	*status = x->unread ? SIGPIPE : x->status;
	if (x->failed) {
		*e = x->error;
		bad = -1;
	} else if (x->ended && !x->known && !x->unread) {
		bad = err_set(e, ERR_GONE, "the sandbox has ended");
	}
	streams_end(&x->streams, truncated);
	child_end(&x->child);
	own_close(&x->socket);
	session_door_close(&x->door);
	loop_close(&x->loop);
	free(x);
	return bad;
}
