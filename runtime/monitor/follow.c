/*
 * follow - print what the program of a sandbox that stays prints, and pass it an input.
 */
#include "monitor/follow.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd_path.h"
#include "base/own.h"
#include "host/stream.h"
#include "host/terminal.h"
#include "monitor/ask.h"

#define END_US 1000000 /* a monitor that does not listen any more is about to end */

enum { SLOT_MONITOR, SLOT_CHANGES, SLOT_IN, SLOT_IN_TO, SLOT_COUNT };

struct follow {
	struct loop loop;
	struct pollfd slots[SLOT_COUNT];
	struct log_reader *log; /* owned */
	int changes;            /* owned; inotify(7) of the record's directory */
	int monitor;            /* owned; a connection, which ends with the sandbox; -1 */
	bool attached;
	struct stream in;
	struct terminal terminal;
	struct record *record; /* borrowed */
	bool told;             /* exit_code is known */
	int exit_code;
	bool failed; /* a write */
	struct err error;
};

/* @next  microseconds, monotonic. */
static void follow_arrange(struct follow *f, uint64_t next)
{
	struct pollfd *slots = f->slots;

	slots[SLOT_MONITOR] = (struct pollfd){f->monitor, POLLIN, 0};
	slots[SLOT_CHANGES] = (struct pollfd){f->changes, POLLIN, 0};
	stream_poll(&f->in, &slots[SLOT_IN]);
	loop_arrange(&f->loop, slots, SLOT_COUNT, f->monitor < 0 ? 0 : next);
}

/* The sandbox has ended, or is ending. */
static void follow_read_end(struct follow *f, struct record *r)
{
	struct err ignored;

	(void)record_await_end(r, monotonic_us() + END_US, &ignored);
	f->exit_code = record_exit_code(r);
	f->told = f->exit_code >= 0;
}

/* The program's input, which the monitor hands out; and the caller's terminal for it. */
static int follow_attach(struct follow *f, const struct record *r, int in, struct err *e)
{
	const struct monitor_request request = {.op = "attach"};
	struct wire_message m = {0};
	struct monitor_answer answer = {0};
	int bad = f->monitor < 0 || ask_send(f->monitor, &request, e) ||
		  ask_receive(f->monitor, &answer, &m, e) <= 0;

	if (!bad && answer.ended) {
		f->exit_code = (int)answer.status;
		own_close(&f->monitor);
		f->told = true;
	} else if (!bad && m.fd_count) {
		stream_init(&f->in, in, wire_take(&m, 0));
		f->in.own_to = true;
	}
	if (!bad && f->monitor >= 0 && json_is_true(json_get(r->what, "tty"))) {
		terminal_make_raw(&f->terminal, in);
		follow_signal(f, SIGWINCH);
	}
	wire_fini(&m);
	form_fini(&monitor_answer_form, &answer);
	return bad ? -1 : 0;
}

int follow_start(struct record *r, const struct log_wish *wish, int in, struct follow **out,
		 struct err *e)
{
	struct follow *f = own_zeroed(1, sizeof(*f));
	struct err ignored;
	int code;

	*f = (struct follow){.loop = loop_none(),
			     .record = r,
			     .log = log_read_open(r->dir, wish),
			     .changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
			     .attached = in >= 0};
	stream_init(&f->in, -1, -1);
	terminal_begin(&f->terminal);
	f->monitor = ask_connect(r, e);
	if (f->changes < 0 || inotify_add_watch(f->changes, fd_path(r->dir).text,
						IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0) {
		(void)err_sys(e, "watch the log");
	} else if (in < 0 || !follow_attach(f, r, in, e)) {
		if (f->monitor < 0 && !f->told)
			follow_read_end(f, r);
		follow_arrange(f, 0); /* what is there already comes at once */
		*out = f;
		return 0;
	}
	(void)follow_end(f, &code, &ignored);
	return -1;
}

struct loop *follow_loop(struct follow *f)
{
	return &f->loop;
}

static void follow_on_monitor(struct follow *f)
{
	struct monitor_answer answer = {0};
	struct wire_message m = {0};
	struct err ignored;

	if (ask_receive(f->monitor, &answer, &m, &ignored) == 1) {
		f->exit_code = (int)answer.status;
		f->told = true;
	}
	wire_fini(&m);
	form_fini(&monitor_answer_form, &answer);
	own_close(&f->monitor);
	if (!f->told)
		follow_read_end(f, f->record);
}

bool follow_step(struct follow *f)
{
	const bool over = f->monitor < 0; /* before the log is read for the last time */
	char events[4096];

	loop_collect(&f->loop);
	if (f->slots[SLOT_CHANGES].revents)
		(void)!read(f->changes, events, sizeof(events));
	stream_pump(&f->in, &f->slots[SLOT_IN]);
	if (f->slots[SLOT_MONITOR].revents)
		follow_on_monitor(f);
	if (log_read(f->log)) {
		(void)err_sys(&f->error, "write the log");
		f->failed = true;
	}
	if (over || f->failed)
		return true;
	follow_arrange(f, LOOP_NEVER);
	return false;
}

void follow_signal(struct follow *f, int number)
{
	struct monitor_request request = {.op = "signal", .number = (uint64_t)number};
	uint16_t rows;
	uint16_t columns;
	struct err ignored;

	if (!f->attached || f->monitor < 0)
		return;
	if (number == SIGWINCH) {
		terminal_size(&rows, &columns);
		request =
			(struct monitor_request){.op = "resize", .rows = rows, .columns = columns};
	}
	(void)ask_send(f->monitor, &request, &ignored);
}

int follow_end(struct follow *f, int *exit_code, struct err *e)
{
	const bool failed = f->failed;
	const bool lost = f->monitor < 0 && !f->told && f->attached;

	*exit_code = f->told ? f->exit_code : 0;
	if (failed)
		*e = f->error;
	else if (lost)
		(void)err_set(e, ERR_GONE, "%.100s was lost: its monitor was killed",
			      record_name(f->record));
	stream_fini(&f->in);
	terminal_close(&f->terminal);
	log_read_close(f->log);
	own_close(&f->changes);
	own_close(&f->monitor);
	loop_close(&f->loop);
	free(f);
	return failed || lost ? -1 : 0;
}
