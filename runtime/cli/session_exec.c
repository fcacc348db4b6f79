/*
 * session_exec - `glovebox session exec, checkpoint, rollback`: what goes through the interpreter.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "cell/client.h"
#include "cell/session.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session_command.h"
#include "host/watch.h"

#define MAX_CODE     (64u << 20)
#define MAX_ANSWER   (256u << 20)
#define MAX_OUTPUT   (64u << 20)
#define EXIT_TIMEOUT 124

static void print_text(const struct json *bundle)
{
	const char *text = json_string(json_get(bundle, "text/plain"));

	if (text)
		puts(text);
}

static void print_lines(const struct json *lines)
{
	for (const struct json *n = json_first(lines); n; n = json_next(n)) {
		if (json_string(n))
			fputs(json_string(n), stderr);
	}
}

/* As a terminal would show it. Returns the exit status. */
static int print_answer(const struct json *answer)
{
	const char *status = json_string(json_get(answer, "status"));
	uint64_t code = 1;

	for (const struct json *n = json_first(json_get(answer, "displays")); n; n = json_next(n))
		print_text(n);
	print_text(json_get(answer, "value"));
	print_lines(json_get(json_get(answer, "error"), "traceback"));
	fflush(stdout);
	if (status && !strcmp(status, "ok"))
		return 0;
	if (status && !strcmp(status, "exit"))
		json_number(json_get(answer, "exit_code"), &code);
	return (int)(code & 0xff);
}

/* Between its parts an answer may have line ends, which are spaces as well; inside of strings
 * they are none. */
static void add_one_line(struct buf *out, const struct buf *answer)
{
	for (size_t i = 0; i < answer->length; i++) {
		char c = answer->data[i];

		if ((unsigned char)c < ' ')
			c = ' ';
		buf_add(out, &c, 1);
	}
}

/* {"stdout":..., "stderr":..., "result": what the interpreter answered}, one line. */
static void print_structured(const struct session_call *call)
{
	auto_buf struct buf text = {0};

	buf_printf(&text,
		   "{\"duration_ms\":%.3f,\"timed_out\":%s,\"interrupted\":%s,\"truncated\":%s",
		   (double)call->duration_us / 1000, call->timed_out ? "true" : "false",
		   call->interrupted ? "true" : "false",
		   call->truncated[0] || call->truncated[1] ? "true" : "false");
	buf_text(&text, ",\"stdout\":");
	buf_json_string(&text, call->captured[0].data, call->captured[0].length);
	buf_text(&text, ",\"stderr\":");
	buf_json_string(&text, call->captured[1].data, call->captured[1].length);
	buf_text(&text, ",\"result\":");
	add_one_line(&text, &call->answer);
	buf_text(&text, "}\n");
	(void)io_write_all(STDOUT_FILENO, text.data, text.length);
}

struct exec_options {
	const char *timeout;
	const char *formats;
	const char *file;
	bool json;
};

static int read_source(const struct exec_options *o, const char *word, struct buf *out,
		       struct err *e)
{
	if (o->file)
		return io_read_file(AT_FDCWD, o->file, MAX_CODE, out, e);
	if (!word || !strcmp(word, "-"))
		return io_read_fd(STDIN_FILENO, "standard input", MAX_CODE, out, e);
	buf_text(out, word);
	return 0;
}

/* "png,svg" as a JSON list of strings. */
static void add_formats(const char *formats, struct buf *out)
{
	buf_text(out, ",\"formats\":[");
	for (const char *p = formats, *between = ""; *p; p += *p == ',') {
		size_t length = strcspn(p, ",");

		if (length) {
			buf_text(out, between);
			buf_json_string(out, p, length);
			between = ",";
		}
		p += length;
	}
	buf_text(out, "]");
}

static int finish_exec(const struct exec_options *o, const struct session_call *call)
{
	struct err e;
	auto_json struct json *answer =
		json_parse(buf_string(&call->answer), call->answer.length, &e);
	int status = 0;

	if (o->json)
		print_structured(call);
	else
		status = print_answer(answer);
	if (call->timed_out && !o->json)
		fprintf(stderr, "[TIMEOUT] the call exceeded its limit of %s\n", o->timeout);
	return call->timed_out ? EXIT_TIMEOUT : call->interrupted ? 130 : status;
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

	if (client_borrow(name, false, &session, NULL, &connection, &e) ||
	    watch_signals(&signal_fd, &e))
		return fail_with(&e);
	call->signal_fd = signal_fd;
	bad = session_ask(&session, session.fds[SESSION_CHANNEL], members->data, members->length,
			  call, &e);
	(void)client_return(&session, session.twin_count, call->lost, &connection, &ignored);
	if (bad) {
		int status = fail_with(&e);

		return call->timed_out ? EXIT_TIMEOUT : status;
	}
	return finish_exec(o, call);
}

int session_exec(int argc, char **argv)
{
	struct exec_options o = {.formats = "png"};
	const struct option options[] = {
		{"--timeout", &o.timeout, NULL   },
		{"--formats", &o.formats, NULL   },
		{"--file",    &o.file,    NULL   },
		{"--json",    NULL,       &o.json},
		{NULL,        NULL,       NULL   }
        };
	struct buf captured[2] = {{0}, {0}};
	auto_buf struct buf source = {0};
	auto_buf struct buf members = {0};
	struct session_call call = {
		.timeout_ms = SPEC_UNLIMITED, .output_max = MAX_OUTPUT, .answer_max = MAX_ANSWER};
	struct err e;
	int at = options_take(options, argc, argv, &e);
	int status;

	if (at >= 0 && (at >= argc || argc - at > 2))
		at = err_input(&e,
			       "session exec [--json] [--timeout T] [--formats png,svg] NAME "
			       "[CODE | -]");
	if (at < 0 || option_duration(o.timeout, "--timeout", &call.timeout_ms, &e) ||
	    read_source(&o, argv[at + 1], &source, &e))
		return fail_with(&e);
	call.forward = !o.json;
	call.captured = o.json ? captured : NULL;
	buf_text(&members, "\"op\":\"run\",\"source\":");
	buf_json_string(&members, source.data, source.length);
	add_formats(o.formats, &members);
	buf_text(&members, o.json ? "" : ",\"plain\":true");
	status = call_session(argv[at], &o, &members, &call);
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
				    .signal_fd = -1};
	const char *name = argc == 3 ? argv[2] : "default";
	auto_fd int connection = -1;
	auto_fd int unheard = -1;
	struct session session;
	unsigned known;
	struct err e;
	struct err ignored;
	int bad;

	if (argc < 2 || argc > 3 || strlen(name) >= SESSION_NAME_MAX) {
		err_input(&e, "session %s NAME [CHECKPOINT]", argv[0]);
		return fail_with(&e);
	}
	if (client_borrow(argv[1], false, &session, NULL, &connection, &e))
		return fail_with(&e);
	known = session.twin_count;
	/* Halfway the session would be lost: signals wait until it is done. */
	bad = watch_signals(&unheard, &e) || act(&session, name, &call, &e);
	buf_fini(&call.answer);
	(void)client_return(&session, known, call.lost, &connection, &ignored);
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
