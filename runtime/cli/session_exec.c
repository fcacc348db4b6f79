/*
 * session_exec - `glovebox session exec, checkpoint, rollback`: what goes through the interpreter.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"
#include "cell/client.h"
#include "cell/session.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session_command.h"
#include "cli/session_print.h"
#include "host/watch.h"

#define MAX_CODE     (64u << 20)
#define MAX_ANSWER   (192u << 20) /* 64 MiB of displays, 64 of figures, one bundle more */
#define MAX_OUTPUT   (64u << 20)
#define EXIT_TIMEOUT 124

struct exec_options {
	const char *timeout;
	const char *output_limit;
	const char *formats;
	const char *file;
	bool json;
};

/* clang-format off */
const struct option session_exec_options[] = {
	{"--json", NULL, offsetof(struct exec_options, json), "print one JSON object: stdout, stderr, the structured result"},
	{"--timeout", "DURATION", offsetof(struct exec_options, timeout), "interrupt the code then, exit 124; also how long to wait for another call [no limit; 30s]"},
	{"--output-limit", "SIZE", offsetof(struct exec_options, output_limit), "of stdout and of stderr; the rest is dropped [64m]"},
	{"--formats", "LIST", offsetof(struct exec_options, formats), "of figures: png, svg, jpeg, pdf, with commas [png]"},
	{"--file", "FILE|-", offsetof(struct exec_options, file), "read the code from there instead of CODE"},
	{NULL, NULL, 0, NULL},
};
/* clang-format on */

static int read_source(const struct exec_options *o, const char *word, struct buf *out,
		       struct err *e)
{
	if (o->file && strcmp(o->file, "-") != 0)
		return io_read_file(AT_FDCWD, o->file, MAX_CODE, out, e);
	if (o->file || !word || !strcmp(word, "-"))
		return io_read_fd(STDIN_FILENO, "standard input", MAX_CODE, out, e);
	buf_text(out, word);
	return 0;
}

/* DRAWN of rootfs/guest/display.py. */
static bool is_format(const char *name, size_t length)
{
	static const char *const formats[] = {"png", "svg", "jpeg", "pdf"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strlen(formats[i]) == length && !strncmp(formats[i], name, length))
			return true;
	}
	return false;
}

/* "png,svg" as a JSON list of strings. */
static int add_formats(const char *formats, struct buf *out, struct err *e)
{
	buf_text(out, ",\"formats\":[");
	for (const char *p = formats, *between = ""; *p; p += *p == ',') {
		size_t length = strcspn(p, ",");

		if (length && !is_format(p, length))
			return err_input(e, "--formats: \"%.*s\" is none of png, svg, jpeg, pdf",
					 length < 40 ? (int)length : 40, p);
		if (length) {
			buf_text(out, between);
			buf_json_string(out, p, length);
			between = ",";
		}
		p += length;
	}
	buf_text(out, "]");
	return 0;
}

/* As for runs: what was dropped is said, and a reader that left ends us as a pipeline does. */
static int report_output(const struct session_call *call, int status)
{
	static const char *const names[2] = {"stdout", "stderr"};
	char limit[24];
	struct err e;

	for (int i = 0; i < 2; i++) {
		if (call->truncated[i])
			fprintf(stderr, "[OUTPUT] %s was cut at %s%s\n", names[i],
				format_size(call->output_max, limit),
				call->timed_out || call->interrupted ? ", or where nobody read on"
								     : "");
	}
	if (!call->output_error)
		return status;
	if (call->output_error == EPIPE)
		return 128 + SIGPIPE;
	errno = call->output_error;
	err_sys(&e, "write to standard output");
	return fail_with(&e);
}

static int finish_plain(const struct exec_options *o, const struct session_call *call)
{
	struct err e;
	auto_json struct json *answer =
		json_parse(buf_string(&call->answer), call->answer.length, &e);
	int status = report_output(call, session_print_answer(answer));

	if (call->timed_out)
		fprintf(stderr, "[TIMEOUT] the call exceeded its limit of %s\n", o->timeout);
	return status;
}

static int finish_json(struct session_call *call, const char *lost)
{
	struct err e;

	if (!session_print_json(call, lost))
		return 0;
	if (errno == EPIPE)
		return 128 + SIGPIPE;
	err_sys(&e, "write to standard output");
	return fail_with(&e);
}

static int finish_exec(const struct exec_options *o, struct session_call *call)
{
	int status = o->json ? finish_json(call, NULL) : finish_plain(o, call);

	return call->timed_out ? EXIT_TIMEOUT : call->interrupted ? 130 : status;
}

/* There is no answer: what was printed before is all that is left. */
static int finish_failed(const struct exec_options *o, struct session_call *call,
			 const struct err *e)
{
	int status = fail_with(e);

	if (!call->lost)
		return status;
	if (o->json)
		(void)finish_json(call, e->text);
	else
		(void)report_output(call, status);
	return call->timed_out ? EXIT_TIMEOUT : status;
}

/* A call in a borrowed session; gives it back. Returns the exit status. */
static int call_session(const char *name, const struct exec_options *o, const struct buf *members,
			struct session_call *call)
{
	auto_fd int connection = -1;
	auto_fd int signal_fd = -1;
	struct session session;
	struct err e;
	struct err ignored;
	int bad;

	if (client_borrow(name, false, call->timeout_ms, &session, &connection, &e) ||
	    watch_signals(&signal_fd, &e))
		return fail_with(&e);
	call->signal_fd = signal_fd;
	bad = session_ask(&session, session.fds[SESSION_CHANNEL], members->data, members->length,
			  call, &e);
	if (call->lost)
		client_lose(&session, call, &connection, &e);
	else
		(void)client_return(&session, false, &connection, &ignored);
	return bad ? finish_failed(o, call, &e) : finish_exec(o, call);
}

/* Flags, the session's name, the request. */
static int prepare_call(int argc, char **argv, struct exec_options *o, struct session_call *call,
			const char **name, struct buf *members, struct err *e)
{
	auto_buf struct buf source = {0};
	int at = options_take(session_exec_options, o, argc, argv, e);

	if (at < 0)
		return -1;
	if (argc - at < 1 || argc - at > (o->file ? 1 : 2))
		return err_input(e, o->file ? "session exec --file FILE NAME: and no CODE"
					    : "session exec [FLAGS] NAME [CODE | -]");
	*name = argv[at];
	buf_text(members, "\"op\":\"run\"");
	if (option_duration(o->timeout, "--timeout", &call->timeout_ms, e) ||
	    option_size(o->output_limit, "--output-limit", &call->output_max, e) ||
	    add_formats(o->formats, members, e) || read_source(o, argv[at + 1], &source, e))
		return -1;
	buf_text(members, o->json ? "" : ",\"plain\":true");
	buf_text(members, ",\"source\":");
	buf_json_string(members, source.data, source.length);
	return 0;
}

int session_exec(int argc, char **argv)
{
	struct exec_options o = {.formats = "png"};
	struct buf captured[2] = {{0}, {0}};
	auto_buf struct buf members = {0};
	struct session_call call = {
		.timeout_ms = SPEC_UNLIMITED, .output_max = MAX_OUTPUT, .answer_max = MAX_ANSWER};
	const char *name;
	struct err e;
	int status;

	if (prepare_call(argc, argv, &o, &call, &name, &members, &e))
		return fail_with(&e);
	call.forward = !o.json;
	call.captured = o.json ? captured : NULL;
	status = call_session(name, &o, &members, &call);
	buf_fini(&call.answer);
	buf_fini(&captured[0]);
	buf_fini(&captured[1]);
	return status;
}

/* -- checkpoints ----------------------------------------------------------------------------- */

static int with_checkpoint(int argc, char **argv,
			   int (*act)(struct session *, const char *, struct session_call *,
				      struct err *))
{
	struct session_call call = {.timeout_ms = 60000,
				    .output_max = MAX_OUTPUT,
				    .answer_max = MAX_ANSWER,
				    .forward = true,
				    .patient = true};
	const char *name = argc == 3 ? argv[2] : "default";
	auto_fd int connection = -1;
	auto_fd int signal_fd = -1;
	struct session session;
	struct err e;
	struct err ignored;
	int bad;

	if (argc < 2 || argc > 3) {
		err_input(&e, "session %s NAME [CHECKPOINT]", argv[0]);
		return fail_with(&e);
	}
	if (strlen(name) >= SESSION_NAME_MAX) {
		err_input(&e, "the name of a checkpoint has at most %d bytes",
			  SESSION_NAME_MAX - 1);
		return fail_with(&e);
	}
	if (client_borrow(argv[1], false, SESSION_WAIT_MS, &session, &connection, &e))
		return fail_with(&e);
	/* Halfway the session would be lost: a signal waits until it is done, a second does not. */
	bad = watch_signals(&signal_fd, &e);
	call.signal_fd = signal_fd;
	bad = bad || act(&session, name, &call, &e);
	buf_fini(&call.answer);
	if (call.lost)
		client_lose(&session, &call, &connection, &e);
	else
		(void)client_return(&session, false, &connection, &ignored);
	return bad ? fail_with(&e) : 0;
}

int session_checkpoint_command(int argc, char **argv)
{
	return with_checkpoint(argc, argv, session_checkpoint);
}

int session_rollback_command(int argc, char **argv)
{
	return with_checkpoint(argc, argv, session_rollback);
}
