/*
 * follow - print what the program of a sandbox that stays prints, and pass it an input.
 */
#include "monitor/follow.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/process.h"
#include "loop/clock.h"
#include "monitor/ask.h"
#include "monitor/program_ask.h"
#include "sandbox/stream.h"
#include "sandbox/terminal.h"

#define END_US 1000000 /* a monitor that does not listen any more is about to end */

enum { SLOT_MONITOR, SLOT_CHANGES, SLOT_IN, SLOT_IN_TO, SLOT_COUNT };

struct follow {
	struct loop loop;
	struct pollfd slots[SLOT_COUNT];
	uint32_t number;        /* of a further program; 0: the first */
	struct log_reader *log; /* owned */
	int dir;                /* owned; of the log; -1: the record's */
	int changes;            /* owned; inotify(7) of that directory */
	int monitor;            /* owned; a connection, which ends with the sandbox; -1 */
	struct follow_typing typing;
	bool awaits; /* the start: nothing is there to connect to */
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
	loop_arrange(&f->loop, slots, SLOT_COUNT, f->monitor < 0 && !f->awaits ? 0 : next);
}

/* The sandbox has ended, or is ending. */
static void follow_read_end(struct follow *f, struct record *r)
{
	auto_record struct record fresh = {.dir = -1};
	struct err ignored;

	(void)record_await_end(r, monotonic_us() + END_US, &ignored);
	f->exit_code = record_exit_code(r);
	if (f->exit_code < 0 && !record_read_id(r->id, &fresh))
		f->exit_code = 0; /* it was removed with its end */
	f->told = f->exit_code >= 0;
}

/* @answer  the end of the sandbox, or before it that of the further program. */
static void follow_take_end(struct follow *f, const struct monitor_answer *answer)
{
	f->told = !f->number || answer->exec;
	f->exit_code = f->number ? process_exit_code((int)answer->status) : (int)answer->status;
	own_close(&f->monitor);
}

/* The program's input, which the monitor hands out; and the caller's terminal for it. */
static int follow_attach(struct follow *f, const struct record *r, struct err *e)
{
	const int in = f->typing.in;
	const struct monitor_request request = {
		.op = "attach", .exec = f->number, .once = f->typing.once && in >= 0};
	struct wire_message m = {0};
	struct monitor_answer answer = {0};
	int bad = f->monitor < 0 || ask_send(f->monitor, &request, e) ||
		  ask_receive(f->monitor, &answer, &m, e) <= 0;

	if (!bad && answer.ended) {
		follow_take_end(f, &answer);
	} else if (!bad && m.fd_count && in >= 0) {
		stream_init(&f->in, in, wire_take(&m, 0));
		f->in.own_to = true;
	}
	if (!bad && f->monitor >= 0 && in >= 0 &&
	    (f->number ? answer.tty : json_is_true(json_get(r->what, "tty")))) {
		terminal_make_raw(&f->terminal, in);
		follow_signal(f, SIGWINCH);
	}
	wire_fini(&m);
	form_fini(&monitor_answer_form, &answer);
	return bad ? -1 : 0;
}

static int follow_connect(struct follow *f, struct err *e)
{
	f->monitor = ask_connect(f->record, e);
	if ((f->typing.attach || (f->number && f->monitor >= 0)) && follow_attach(f, f->record, e))
		return -1;
	if (f->monitor < 0 && !f->told && !f->number)
		follow_read_end(f, f->record);
	return 0;
}

static uint64_t follow_ended_ms(const struct record *r)
{
	return r->how ? json_uint_at(r->how, "ended_ms", 0) : 0;
}

static bool follow_is_same(const struct record *then, const struct record *now)
{
	return now->state == RECORD_STARTING ||
	       (now->state == then->state && follow_ended_ms(now) == follow_ended_ms(then));
}

/* It has started, has been removed, or could not start. */
static void follow_await_start(struct follow *f)
{
	auto_record struct record r = {.dir = -1};
	struct err ignored;

	f->told = !record_read_id(f->record->id, &r); /* started, ended, and removed */
	if (!f->told && follow_is_same(f->record, &r))
		return;
	f->awaits = false;
	if (!f->told && follow_connect(f, &ignored))
		follow_read_end(f, f->record);
}

static int follow_begin(struct follow *f, const struct log_wish *wish, struct err *e)
{
	const int dir = f->number ? f->dir : f->record->dir;

	f->log = log_read_open(dir, wish);
	f->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (f->changes < 0 ||
	    inotify_add_watch(f->changes, fd_path(dir).text,
			      IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE) < 0)
		return err_sys(e, "watch the log");
	f->awaits = f->typing.attach && !record_runs(f->record);
	if (f->awaits)
		(void)log_read(f->log); /* it has the file open, whatever removes that */
	else if (follow_connect(f, e))
		return -1;
	follow_arrange(f, 0); /* what is there already comes at once */
	return 0;
}

int follow_start(struct record *r, uint32_t number, const struct log_wish *wish,
		 const struct follow_typing *typing, struct follow **out, struct err *e)
{
	const int dir = number ? program_log(r, number, e) : -1;
	struct follow *f;
	struct err ignored;
	int code;

	if (number && dir < 0)
		return -1;
	f = own_zeroed(1, sizeof(*f));
	*f = (struct follow){.loop = loop_none(),
			     .number = number,
			     .record = r,
			     .dir = dir,
			     .changes = -1,
			     .monitor = -1,
			     .typing = *typing};
	stream_init(&f->in, -1, -1);
	terminal_begin(&f->terminal);
	*out = f;
	if (!follow_begin(f, wish, e))
		return 0;
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

	if (ask_receive(f->monitor, &answer, &m, &ignored) == 1)
		follow_take_end(f, &answer);
	wire_fini(&m);
	form_fini(&monitor_answer_form, &answer);
	own_close(&f->monitor);
	if (!f->told && !f->number)
		follow_read_end(f, f->record);
}

bool follow_step(struct follow *f)
{
	const bool over =
		f->monitor < 0 && !f->awaits; /* before the log is read for the last time */
	char events[4096];

	loop_collect(&f->loop);
	if (f->slots[SLOT_CHANGES].revents)
		(void)!read(f->changes, events, sizeof(events));
	if (f->awaits)
		follow_await_start(f);
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

	if (!f->typing.attach || f->monitor < 0)
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
	const bool lost = f->monitor < 0 && !f->told && f->typing.attach;

	*exit_code = f->told ? f->exit_code : 0;
	if (failed)
		*e = f->error;
	else if (lost && f->number)
		(void)err_set(e, ERR_GONE, "the sandbox has ended");
	else if (lost)
		(void)err_set(e, ERR_GONE, "%.100s was lost: its monitor was killed",
			      record_name(f->record));
	stream_fini(&f->in);
	terminal_close(&f->terminal);
	log_read_close(f->log);
	own_close(&f->changes);
	own_close(&f->dir);
	own_close(&f->monitor);
	loop_close(&f->loop);
	free(f);
	return failed || lost ? -1 : 0;
}
