/*
 * logs - `logs` and `attach`: what the program of a sandbox that stays has printed, and prints.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "base/told.h"
#include "cli/command.h"
#include "cli/moment.h"
#include "cli/words.h"
#include "container/logs.h"
#include "container/named.h"
#include "loop/clock.h"
#include "monitor/follow.h"
#include "monitor/program_ask.h"
#include "record/log.h"
#include "record/record.h"

struct logs_options {
	struct log_wish wish;
	bool follow;
};

static int logs_parse_since(void *options, const char *value, struct err *e)
{
	return moment_parse(&((struct logs_options *)options)->wish.since_ms, value, e);
}

static int logs_parse_until(void *options, const char *value, struct err *e)
{
	return moment_parse(&((struct logs_options *)options)->wish.until_ms, value, e);
}

struct attach_flags {
	bool no_input;
	bool logs;
	bool await;
	bool once;
};

static const struct follow_typing logs_mute = {.in = -1};

#define AT(field) offsetof(struct logs_options, field)

/* clang-format off */
const struct setting logs_settings[] = {
	{"follow", 'f', NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, AT(follow), NULL, .help = "go on with what it prints from now on, to its end"},
	{"tail", 'n', "LINES", GROUP_RESULT, FACE_RUN, SETTING_COUNT, AT(wish.tail), NULL, .max = INT64_MAX, .none = "all|-1", .words = "all", .help = "only so many lines, the last"},
	{"timestamps", 't', NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, AT(wish.times), NULL, .help = "its time before each line"},
	{"since", 0, "TIME", GROUP_RESULT, FACE_RUN, SETTING_OWN, 0, NULL, .parse = logs_parse_since, .help = "only what was printed since: 10m, or 2026-11-29T12:00:00Z"},
	{"until", 0, "TIME", GROUP_RESULT, FACE_RUN, SETTING_OWN, 0, NULL, .parse = logs_parse_until, .help = "only what was printed before"},
	{"details", 0, NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: there are none"},
	SETTING_END,
};

const struct setting attach_settings[] = {
	{"no-stdin", 0, NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, offsetof(struct attach_flags, no_input), NULL, .help = "pass no input"},
	{"await", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct attach_flags, await), NULL, .help = "if it does not run, wait for its start"},
	{"stdin-once", 0, NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, offsetof(struct attach_flags, once), NULL, .help = "its input ends when standard input does; no other client can type afterwards"},
	{"logs", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct attach_flags, logs), NULL, .help = "first what it has printed"},
	{"sig-proxy", 0, NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, "true", .harmless = "true", .help = "signals go to the program"},
	{"detach-keys", 0, "KEYS", GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: no keys detach"},
	SETTING_END,
};
/* clang-format on */

/*
 * Print what comes, until the program has ended.
 * @number  of a further program; 0: the first.
 * Returns its exit code, or -1.
 */
static int logs_follow(struct record *r, uint32_t number, const struct log_wish *wish,
		       const struct follow_typing *typing, int signals, struct err *e)
{
	struct signalfd_siginfo info;
	struct follow *f;
	int code;

	if (follow_start(r, number, wish, typing, &f, e))
		return -1;
	told_ready();
	do {
		if (!loop_wait(follow_loop(f), signals))
			continue;
		while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
			follow_signal(f, process_signal_of(&info));
	} while (!follow_step(f));
	return follow_end(f, &code, e) ? -1 : code;
}

static int logs_print(const char *name, const struct logs_options *o, struct err *e)
{
	auto_record struct record r = {.dir = -1};
	auto_fd int dir = -1;
	struct log_wish wish = o->wish;
	struct log_reader *reader;
	uint32_t number;
	int bad;

	if (named_find_program("logs", name, &r, &number, e))
		return -1;
	if (o->follow)
		return logs_follow(&r, number, &o->wish, &logs_mute, -1, e) < 0 ? -1 : 0;
	if (number && (dir = program_log(&r, number, e)) < 0)
		return -1;
	/* Lines that come meanwhile are not of the tail that was counted. */
	wish.until_ms = wish.until_ms < clock_now_ms() + 1 ? wish.until_ms : clock_now_ms() + 1;
	told_ready();
	reader = log_read_open(number ? dir : r.dir, &wish);
	bad = log_read(reader) ? err_sys(e, "write the log") : 0;
	log_read_close(reader);
	return bad;
}

static int logs_fail(const struct err *e)
{
	return e->number == EPIPE ? 128 + SIGPIPE : fail_as_daemon(e);
}

int command_logs(int argc, char **argv)
{
	struct logs_options o = {
		.wish = {.until_ms = UINT64_MAX, .tail = UINT64_MAX}
        };
	struct err e;
	int at = words_read(argc, argv, logs_settings, &o, 1, 1, &e);

	if (at < 0)
		return fail_with_help(&e, "logs");
	return logs_print(argv[at], &o, &e) ? logs_fail(&e) : 0;
}

/* -- attach ---------------------------------------------------------------------------------- */

static int logs_check_runs(const struct record *r, uint32_t number, const char *name, struct err *e)
{
	struct monitor_answer answer = {0};
	const bool asks = number && record_runs(r);
	auto_fd int monitor = asks ? program_attach(r, number, &answer, e) : -1;

	if (asks && monitor < 0)
		return -1;
	return record_runs(r) && !answer.ended
		       ? 0
		       : err_set(e, ERR_GONE, "container %.100s is not running", name);
}

int attach_since(const char *name, uint64_t since_ms, const struct follow_typing *typing)
{
	struct follow_typing ours = *typing;
	const bool now = since_ms == LOGS_NOW;
	const struct log_wish wish = {.since_ms = now ? 0 : since_ms,
				      .until_ms = UINT64_MAX,
				      .tail = now ? 0 : UINT64_MAX};
	auto_record struct record r = {.dir = -1};
	auto_fd int signals = -1;
	uint32_t number;
	struct err e;
	int code;

	if (named_find_program("attach", name, &r, &number, &e) || process_signals(&signals, &e) ||
	    (now && !typing->attach && logs_check_runs(&r, number, name, &e)))
		return fail_as_daemon(&e);
	/* It may have ended since it was started: what it printed is in the log. */
	ours.attach |= record_runs(&r);
	if (!ours.attach)
		ours = logs_mute;
	code = logs_follow(&r, number, &wish, &ours, signals, &e);
	if (code < 0 && e.kind == ERR_GONE && !now)
		code = logs_follow(&r, number, &wish, &logs_mute, signals, &e);
	if (code >= 0 && r.state == RECORD_LOST)
		code = err_set(&e, ERR_GONE, "%.100s was lost: its monitor was killed", name);
	return code < 0 ? logs_fail(&e) : code;
}

int command_attach(int argc, char **argv)
{
	struct attach_flags flags = {0};
	struct err e;
	int at = words_read(argc, argv, attach_settings, &flags, 1, 1, &e);

	if (at < 0)
		return fail_with_help(&e, "attach");
	return attach_since(argv[at], flags.logs ? 0 : LOGS_NOW,
			    &(struct follow_typing){.attach = flags.await,
						    .in = flags.no_input ? -1 : STDIN_FILENO,
						    .once = flags.once});
}
