/*
 * session_exec - `glovebox session exec`: run code in a session's interpreter.
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
#include "base/say.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/script_here.h"
#include "cli/session_command.h"
#include "client/network_orders.h"
#include "flags/setting_words.h"
#include "fs/trusted_path.h"
#include "service/notebook_wait.h"
#include "session/call_print.h"
#include "session/call_result.h"
#include "session/figures.h"
#include "spec/policy.h"
#include "spec/run_settings.h"

#define MAX_CODE     (64u << 20)
#define MAX_ANSWER   (192u << 20) /* 64 MiB of displays, 64 of figures, and one more bundle */
#define MAX_OUTPUT   (64u << 20)
#define EXIT_TIMEOUT 124

static const struct sink ours[2] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};

struct exec_options {
	uint64_t timeout_ms;
	uint64_t output_max;
	const char *formats;
	const char *file;
	struct written_path figures; /* directory; NULL */
	bool json;
	int figures_fd;
	const char *name;
	struct notebook_result result;
	bool has_before;
	struct egress_summary before; /* network counters before the call */
	struct call_network network;
};

#define AT(field) offsetof(struct exec_options, field)

/* clang-format off */
const struct setting session_exec_settings[] = {
	{"json", 0, NULL, GROUP_RESULT, FACE_CALL, SETTING_FLAG, AT(json), NULL, .help = "print one JSON object: stdout, stderr and the structured result"},
	{"timeout", 0, "DURATION", GROUP_LIMITS, FACE_CALL, SETTING_DURATION, AT(timeout_ms), NULL, .min = 1, .max = DURATION_MAX, .words = "no limit; 30s", .help = "interrupt the code after this time, exit 124; also how long to wait for another call"},
	{"output-limit", 0, "SIZE", GROUP_LIMITS, FACE_CALL, SETTING_BYTES, AT(output_max), "64m", .max = INT64_MAX, .none = "0", .help = "maximum for each of stdout and stderr; the rest is dropped; 0: no limit"},
	{"figures", 0, "DIR", GROUP_RESULT, FACE_CALL, SETTING_WRITTEN, AT(figures), NULL, .min = 1, .help = "save figures there, as figure-N.png, print their names and close them"},
	{"formats", 0, "LIST", GROUP_RESULT, FACE_CALL, SETTING_TEXT, AT(formats), "png", .help = "formats of figures, separated by commas: png, svg, jpeg, pdf"},
	{"file", 0, "FILE|-", GROUP_PROGRAM, FACE_CALL, SETTING_TEXT, AT(file), NULL, .help = "read the code from a file, or from standard input, instead of CODE"},
	SETTING_END,
};
/* clang-format on */

static int session_exec_read_source(const struct exec_options *o, const char *word, struct buf *out,
				    struct err *e)
{
	if (o->file && strcmp(o->file, "-") != 0)
		return io_read_file(AT_FDCWD, o->file, MAX_CODE, out, e);
	if (!o->file && !word && isatty(STDIN_FILENO))
		fputs("glovebox: reading Python from the terminal; Ctrl-D ends it\n", stderr);
	if (o->file || !word || !strcmp(word, "-"))
		return io_read_fd(STDIN_FILENO, "standard input", MAX_CODE, out, e);
	if (script_is_here(word))
		return err_input(e, "%.200s is a file, and not code: --file %.200s runs it", word,
				 word);
	buf_text(out, word);
	return 0;
}

/* As for runs: report dropped output; if our reader has closed, exit like a pipeline. */
static int session_exec_report_output(const struct session_call *call, int status)
{
	struct err e;

	report_cut(call->truncated, call->output_max, call->timed_out || call->interrupted);
	if (!call->output_error)
		return !status && (call->truncated[0] || call->truncated[1]) ? 123 : status;
	if (call->output_error == EPIPE)
		return 128 + SIGPIPE;
	if (io_flush_output())
		return EXIT_OURS; /* writing the value failed, too: main reports it once */
	errno = call->output_error;
	err_sys(&e, "write to standard output");
	return fail_with(&e);
}

static void session_exec_report_network(const struct exec_options *o)
{
	if (o->has_before && !o->network.is_lost)
		report_refusals(&o->before, &o->network.egress);
}

static void session_exec_save_figures(const struct exec_options *o, const struct json *answer)
{
	auto_buf struct buf names = {0};

	if (o->figures_fd < 0 || !answer || !json_is_object(answer))
		return;
	figures_save(o->figures_fd, json_get(answer, "displays"), &names);
	figures_save(o->figures_fd, json_get(answer, "value"), &names);
	figures_save(o->figures_fd, json_get(answer, "figures"), &names);
	say_lines(stdout, buf_string(&names));
}

/* Figures that were not shown stay open: tell the user how to see them. */
static void session_exec_hint_at_figures(const struct exec_options *o, const struct json *answer)
{
	uint64_t open =
		answer && json_is_object(answer) ? json_uint_at(answer, "open_figures", 0) : 0;

	if (open && o->figures_fd < 0 && isatty(STDERR_FILENO))
		fputs("glovebox: figures are open; --figures DIR saves them\n", stderr);
}

static int session_exec_finish_plain(const struct exec_options *o)
{
	const struct session_call *call = &o->result.call;
	char limit[24];
	int status = call_print(&o->result.outcome);

	session_exec_save_figures(o, o->result.outcome.answer);
	session_exec_hint_at_figures(o, o->result.outcome.answer);
	status = session_exec_report_output(call, status);
	session_exec_report_network(o);
	if (call->timed_out)
		fprintf(stderr, "[TIMEOUT] the call exceeded its limit of %s\n",
			format_duration(o->timeout_ms, limit));
	return status;
}

static int session_exec_finish_json(struct exec_options *o, const char *lost)
{
	struct session_call *call = &o->result.call;
	const struct display_places *places = call->out[0].context;
	struct err e;

	if (!call_result_write(STDOUT_FILENO, call, places,
			       o->result.has_network ? &o->network : NULL, lost))
		return 0;
	if (errno == EPIPE)
		return 128 + SIGPIPE;
	err_sys(&e, "write to standard output");
	return fail_with(&e);
}

static int session_exec_finish_exec(struct exec_options *o)
{
	const struct session_call *call = &o->result.call;
	int status = o->json ? session_exec_finish_json(o, NULL) : session_exec_finish_plain(o);

	return call->timed_out ? EXIT_TIMEOUT : call->interrupted ? 130 : status;
}

/* The answer is missing: print the output that came before. */
static int session_exec_finish_failed(struct exec_options *o, const struct err *e)
{
	const struct session_call *call = &o->result.call;
	int status = fail_with(e);

	if (!call->lost)
		return status;
	if (o->json)
		(void)session_exec_finish_json(o, e->text);
	else
		(void)session_exec_report_output(call, status);
	session_exec_report_network(o);
	return call->timed_out ? EXIT_TIMEOUT : status;
}

/* Read the counters; zeros if unknown. Returns whether they are known. */
static bool session_exec_summarize(const struct exec_options *o, struct egress_summary *out)
{
	struct err ignored;

	return !o->result.has_network || !network_orders_summarize(NULL, o->name, out, &ignored);
}

/* With --json there is one sum, of all calls. */
static void session_exec_begun(void *context)
{
	struct exec_options *o = context;

	o->has_before = !o->json && session_exec_summarize(o, &o->before);
}

/* glovebox-egress ends with the session, so ask before that is returned. */
static void session_exec_answered(void *context)
{
	struct exec_options *o = context;

	o->network.is_lost = !session_exec_summarize(o, &o->network.egress);
}

/* Whether a word in the place of CODE is one of our flags. */
static bool session_exec_is_flag(const char *word)
{
	size_t length = word && !strncmp(word, "--", 2) ? strcspn(word + 2, "=") : 0;

	for (const struct setting *row = session_exec_settings; length && row->name; row++) {
		if (strlen(row->name) == length && !strncmp(row->name, word + 2, length))
			return true;
	}
	return false;
}

/* Returns the index of NAME, or -1. */
static int session_exec_read_flags(int argc, char **argv, struct exec_options *o, struct err *e)
{
	uint64_t given[SETTING_GIVEN] = {0};
	const struct settings settings = {
		.face = FACE_CALL,
		.needs = FACE_CALL,
		.unfit = "for the whole session: give it to glovebox session new",
		.tables = {{session_exec_settings, o, given}, {run_settings, NULL, NULL}},
		.hint = ""
        };
	int late;
	int at;

	setting_defaults(&settings.tables[0], NULL);
	if (setting_words(&settings, argc - 1, argv + 1, &at, e))
		return -1;
	at++;
	for (late = at + 1; late < argc && !session_exec_is_flag(argv[late]);)
		late++;
	if (late < argc && (late == at + 1 || argc - at > 2))
		return err_input(e, "flags come before NAME: session exec %.40s %s%.60s ...",
				 argv[late], strchr(argv[late], '=') ? "" : "... ", argv[at]);
	if (argc - at < 1 || argc - at > (o->file ? 1 : 2))
		return err_input(e, o->file ? "session exec --file FILE NAME: CODE is in the file"
					    : "session exec [FLAGS] NAME [CODE | -]");
	if (o->json && o->figures.text)
		return err_input(e, "--figures conflicts with --json, which holds the figures");
	return policy_apply(&settings.tables[0], e) ? -1 : at;
}

/* Add to the request what to draw, and how to show it. */
static int session_exec_add_manner(struct exec_options *o, struct buf *members, struct err *e)
{
	auto_buf struct buf formats = {0};

	if (figures_add_formats(o->formats, &formats, e))
		return -1;
	if (o->json || o->figures.text)
		buf_text(members, buf_string(&formats));
	if (!o->json)
		buf_text(members, ",\"plain\":true");
	if (o->figures.text)
		o->figures_fd = trusted_path_make(o->figures, LINKS_OF_SYSTEM, e);
	return o->figures.text && o->figures_fd < 0 ? err_prefix(e, "--figures") : 0;
}

/* Read the flags, the session's name and the request. */
static int session_exec_prepare_call(int argc, char **argv, struct exec_options *o,
				     struct buf *members, struct err *e)
{
	auto_buf struct buf source = {0};
	int at = session_exec_read_flags(argc, argv, o, e);

	if (at < 0)
		return -1;
	o->name = argv[at];
	buf_text(members, "\"op\":\"run\"");
	if (session_exec_add_manner(o, members, e) ||
	    session_exec_read_source(o, argv[at + 1], &source, e))
		return -1;
	buf_text(members, ",\"source\":");
	buf_json_string(members, source.data, source.length);
	return 0;
}

static int session_exec_call(struct exec_options *o, const struct buf *members,
			     const struct sink out[2])
{
	const struct notebook_wait wait = {.signal_fd = -1,
					   .catches_signals = true,
					   .begun = session_exec_begun,
					   .answered = session_exec_answered,
					   .context = o};
	const struct notebook_request request = {
		.action = NOTEBOOK_ASK,
		.name = o->name,
		.call = {.source = members->data,
			 .length = members->length,
			 .raw = o->json,
			 .timeout_ms = o->timeout_ms,
			 .output_max = o->output_max,
			 .answer_max = MAX_ANSWER,
			 .out = {out[0], out[1]}}
        };
	struct err e;
	int bad = notebook_wait(&request, &wait, &o->result, &e);
	int status = bad ? session_exec_finish_failed(o, &e) : session_exec_finish_exec(o);

	notebook_result_fini(&o->result);
	return status;
}

int session_exec(int argc, char **argv)
{
	struct exec_options o = {.timeout_ms = SPEC_UNLIMITED, .figures_fd = -1};
	struct buf captured[2] = {{0}, {0}};
	struct display_places places = {.text = &captured[0]};
	struct sink out[2];
	auto_buf struct buf members = {0};
	struct err e;
	int status;

	if (session_exec_prepare_call(argc, argv, &o, &members, &e))
		return fail_with(&e);
	for (int i = 0; i < 2; i++)
		out[i] = o.json ? (struct sink){.fd = -1, .buffer = &captured[i]} : ours[i];
	if (o.json) {
		out[0].display = display_places_add;
		out[0].context = &places;
	}
	status = session_exec_call(&o, &members, out);
	buf_fini(&captured[0]);
	buf_fini(&captured[1]);
	egress_summary_fini(&o.before);
	egress_summary_fini(&o.network.egress);
	own_close(&o.figures_fd);
	return status;
}
