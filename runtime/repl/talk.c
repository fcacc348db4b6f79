/*
 * talk - read lines, run them in the session, and show the results.
 */
#include "repl/talk.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/parse.h"
#include "base/say.h"
#include "prompt/history.h"
#include "prompt/line_editor.h"
#include "repl/completion.h"
#include "repl/turn.h"
#include "session/call_print.h"
#include "session/figures.h"

#define OUTPUT_MAX (64u << 20)
#define ANSWER_MAX (192u << 20) /* the same as for `session exec` */
#define EXIT_OURS  125

struct talking {
	const struct talk *talk;
	struct line_editor *editor;
	struct buf block; /* the lines of an unfinished block */
	bool has_hinted;
	bool ends;
	int status;
};

/* -- showing --------------------------------------------------------------------------------- */

static void talk_save_figures(const struct talk *t, const struct json *answer)
{
	auto_buf struct buf names = {0};

	if (t->figures_fd < 0 || !answer || !json_is_object(answer))
		return;
	figures_save(t->figures_fd, json_get(answer, "displays"), &names);
	figures_save(t->figures_fd, json_get(answer, "value"), &names);
	figures_save(t->figures_fd, json_get(answer, "figures"), &names);
	say_lines(stdout, buf_string(&names));
}

/* Figures that were not shown stay open: tell the user once how to see them. */
static void talk_hint_at_figures(struct talking *x, const struct json *answer)
{
	bool open = answer && json_is_object(answer) && json_uint_at(answer, "open_figures", 0);

	if (!open || x->has_hinted || x->talk->figures_fd >= 0 || !isatty(STDERR_FILENO))
		return;
	x->has_hinted = true;
	fputs("glovebox: figures are open; session repl --figures DIR saves them\n", stderr);
}

static void talk_report_cut(const struct session_call *call)
{
	char limit[24];

	if (call->truncated[0] || call->truncated[1])
		fprintf(stderr, "[OUTPUT] it was cut at %s\n",
			format_size(call->output_max, limit));
}

static void talk_show(struct talking *x, const struct turn *turn)
{
	int status = call_print(&turn->result.outcome);

	talk_save_figures(x->talk, turn->result.outcome.answer);
	talk_hint_at_figures(x, turn->result.outcome.answer);
	fflush(stdout);
	talk_report_cut(&turn->result.call);
	if (turn->result.outcome.verdict == CODE_EXIT) {
		x->ends = true;
		x->status = status;
	}
}

static void talk_end_by(struct talking *x, int number)
{
	x->ends = true;
	x->status = 128 + number;
}

/* Ctrl-C discards typed text; without a terminal it ends us like the other signals. */
static void talk_stop(struct talking *x, int number)
{
	buf_cut(&x->block, 0);
	if (number == SIGINT && isatty(STDIN_FILENO))
		fputs("KeyboardInterrupt\n", stderr);
	else
		talk_end_by(x, number);
}

/* A kept session is gone for good; our own starts anew. */
static void talk_show_failure(struct talking *x, const struct turn *turn, const struct err *e)
{
	if (turn->stopped_by) {
		fputs("\n", stderr); /* after the ^C */
		talk_stop(x, turn->stopped_by);
		return;
	}
	say_error(e);
	if (!x->talk->place->name && e->kind == ERR_GONE) {
		fputs("glovebox: the next line begins a new session: the variables are gone\n",
		      stderr);
		return;
	}
	if (e->kind == ERR_BUSY)
		return;
	x->ends = true;
	x->status = EXIT_OURS;
}

/* -- running --------------------------------------------------------------------------------- */

static void talk_write_request(const struct talk *t, const struct buf *source, struct buf *out)
{
	buf_text(out, "\"op\":\"run\",\"plain\":true,\"typed\":true");
	if (t->figures_fd >= 0)
		buf_text(out, t->formats);
	buf_text(out, ",\"source\":");
	buf_json_string(out, source->data, source->length);
}

static bool talk_is_unfinished(const struct json *answer)
{
	const char *status =
		answer && json_is_object(answer) ? json_string_at(answer, "status") : NULL;

	return status && !strcmp(status, "unfinished");
}

/* Run the block if it is complete. */
static void talk_run_block(struct talking *x)
{
	struct turn turn = {
		.request.call = {.timeout_ms = x->talk->timeout_ms,
				 .output_max = OUTPUT_MAX,
				 .answer_max = ANSWER_MAX,
				 .out = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}}},
		.signal_fd = x->talk->signal_fd
        };
	auto_buf struct buf members = {0};
	struct err e;

	talk_write_request(x->talk, &x->block, &members);
	if (turn_make(&turn, x->talk->place, &members, true, &e)) {
		buf_cut(&x->block, 0);
		talk_show_failure(x, &turn, &e);
	} else if (talk_is_unfinished(turn.result.outcome.answer)) {
		buf_text(&x->block, "\n");
	} else {
		buf_cut(&x->block, 0);
		talk_show(x, &turn);
	}
	if (turn.untaken)
		line_editor_push(x->editor, turn.untaken);
	if (turn.ended_by)
		talk_end_by(x, turn.ended_by);
	turn_fini(&turn);
}

/* -- reading --------------------------------------------------------------------------------- */

static void talk_take_line(struct talking *x, const char *line)
{
	if (!x->block.length && !line[strspn(line, " \t")])
		return;
	buf_text(&x->block, line);
	talk_run_block(x);
}

static void talk_turn(struct talking *x)
{
	auto_free char *line = NULL;

	switch (line_editor_read(x->editor, x->block.length ? "... " : ">>> ", &line)) {
	case LINE_END:
		x->ends = true;
		break;
	case LINE_CLEARED:
	case LINE_INTERRUPTED:
		talk_stop(x, line_editor_signal(x->editor));
		break;
	case LINE_TEXT:
		talk_take_line(x, line);
		break;
	}
}

int talk_run(const struct talk *t, struct err *e)
{
	char path[PATH_MAX + 32];
	struct completion completion = {t->place, t->signal_fd};
	const struct line_editor_helper helper = {completion_find, &completion};
	struct talking x = {.talk = t};

	x.editor = line_editor_open(history_path("session-history", path, sizeof(path)),
				    t->signal_fd, e);
	if (!x.editor)
		return -1;
	line_editor_take_code(x.editor, &helper);
	while (!x.ends)
		talk_turn(&x);
	line_editor_close(x.editor);
	buf_fini(&x.block);
	return x.status;
}
