/*
 * screen - show the events of a task to people.
 */
#include "agent/show/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "agent/data/text.h"
#include "agent/show/console.h"
#include "agent/show/reply_view.h"
#include "agent/show/show.h"
#include "base/escape.h"
#include "base/own.h"
#include "loop/clock.h"

#define LIVE_LINES   30   /* lines shown while code runs */
#define LIVE_BYTES   4096 /* longest of these lines */
#define REDRAW_US    100000
#define LONG_US      2000000 /* of waiting for a model's first word */
#define VERY_LONG_US 10000000

/* Output of a running execution that is shown already. */
struct live {
	struct buf line[2]; /* incomplete */
	size_t shown[2];    /* bytes */
	size_t lines;
};

struct screen {
	struct event_sink sink; /* first: a sink is this */
	struct screen_options options;
	struct console progress;
	struct console out;
	struct show show;

	struct reply_view reply; /* the reply that is arriving */
	size_t pieces;
	struct live live;
	bool waits;    /* for a model */
	bool heard;    /* the model has answered before, so it is loaded */
	bool proposed; /* the code was shown for approval */
	bool stopped;  /* by Ctrl-C, which the terminal echoes as ^C */

	/* The status line. */
	char doing[80];
	unsigned iteration;
	unsigned iterations;
	uint64_t since_us; /* start of the current activity */
	uint64_t first_piece_us;
	uint64_t drawn_us;
};

static const char loading[] = ", a model that is not loaded yet takes a while";

/* -- the status line ------------------------------------------------------------------------- */

static void screen_draw_status(struct screen *s)
{
	auto_buf struct buf line = {0};
	uint64_t now = monotonic_us();
	double writing = (double)(now - s->first_piece_us) / 1e6;

	if (!s->progress.terminal || !s->doing[0])
		return;
	buf_printf(&line, "[%u/%u] %s  %.0f s", s->iteration, s->iterations, s->doing,
		   (double)(now - s->since_us) / 1e6);
	if (s->waits && !s->heard && now - s->since_us >= LONG_US)
		buf_text(&line, loading);
	if (s->pieces > 1)
		buf_printf(&line, "  %zu tokens", s->pieces);
	if (s->pieces > 1 && writing > 0.2)
		buf_printf(&line, "  %.1f tokens/s", (double)s->pieces / writing);
	console_status(&s->progress, line.data);
	s->drawn_us = now;
}

/* Set the status line; NULL: none. `what` is shortened to fit. */
static void screen_begin_status(struct screen *s, const struct event *event, const char *verb,
				const char *what)
{
	auto_buf struct buf safe = {.cap = sizeof(s->doing) - 1};
	size_t length;

	s->doing[0] = '\0';
	s->waits = false;
	s->since_us = monotonic_us();
	s->pieces = 0;
	console_status(&s->progress, NULL);
	if (!verb)
		return;
	buf_text(&safe, verb);
	if (what)
		escape_line(what, strlen(what), &safe);
	length = escape_whole(safe.data, safe.length);
	memcpy(s->doing, safe.data, length);
	s->doing[length] = '\0';
	s->iteration = event->iteration;
	s->iterations = event->iterations;
	screen_draw_status(s);
}

/* A tick: update the time. */
static void screen_tick(struct screen *s)
{
	if (!s->progress.terminal && s->waits && !s->heard &&
	    monotonic_us() - s->since_us >= VERY_LONG_US) {
		console_printf(&s->progress, STYLE_DIM, "%s%s\n", s->doing, loading);
		s->heard = true; /* show this hint once */
	}
	if (!s->doing[0] || monotonic_us() - s->drawn_us < REDRAW_US)
		return;
	screen_draw_status(s);
	console_flush(&s->progress);
}

/* -- replies --------------------------------------------------------------------------------- */

static void screen_forget_reply(struct screen *s)
{
	reply_view_begin(&s->reply);
	s->pieces = 0;
}

static void screen_take_piece(struct screen *s, const struct event *event)
{
	if (!event->length) {
		screen_tick(s);
		return;
	}
	s->heard = true;
	if (s->pieces++ == 0) {
		s->first_piece_us = monotonic_us();
		snprintf(s->doing, sizeof(s->doing), "writing");
	}
	reply_view_add(&s->reply, event->piece, event->text, event->length);
	screen_draw_status(s);
}

static void screen_take_reply(struct screen *s, const struct event *event)
{
	const struct chat_message *m = &event->reply->message;

	s->heard = true;
	if (!s->pieces) {
		if (m->thinking)
			reply_view_add(&s->reply, CHAT_THINKING, m->thinking, strlen(m->thinking));
		reply_view_add(&s->reply, CHAT_CONTENT, m->content, strlen(m->content));
	}
	reply_view_end(&s->reply);
	screen_begin_status(s, event, NULL, NULL);
}

/* -- other events ---------------------------------------------------------------------------- */

static void screen_take_request(struct screen *s, const struct event *event)
{
	s->proposed = false;
	screen_forget_reply(s);
	if (s->options.verbose)
		show_conversation(&s->show, event->request);
	console_fresh_line(&s->progress);
	screen_begin_status(s, event, "waiting for ", event->request->model);
	s->waits = true;
}

/* Show the code that will run, or that waits for approval. */
static void screen_show_code(struct screen *s, const struct event *event)
{
	auto_buf struct buf line = {0};

	screen_begin_status(s, event, NULL, NULL);
	console_fresh_line(&s->progress);
	if (event->description)
		escape_line(event->description, strlen(event->description), &line);
	console_printf(&s->progress, STYLE_HEAD, "> run%s%s\n", line.length ? ": " : "",
		       buf_string(&line));
	if (!reply_view_has_code(&s->reply, event->text, event->length))
		show_code(&s->show, event->text, event->length);
}

static void screen_end_live(struct screen *s)
{
	for (int i = 0; i < 2; i++)
		buf_fini(&s->live.line[i]);
	s->live = (struct live){0};
}

/* At a terminal, show the first whole lines; the rest follows, shortened, at the end. */
static void screen_take_output(struct screen *s, const struct event *event)
{
	struct buf *line = &s->live.line[event->stream];
	size_t at = 0;

	if (!s->progress.terminal || s->live.lines >= LIVE_LINES)
		return;
	buf_add(line, event->text, event->length);
	while (s->live.lines < LIVE_LINES) {
		size_t end = text_line_end(buf_string(line), at, line->length);

		if (end == line->length)
			break;
		show_output(&s->show, event->stream, line->data + at, end - at);
		s->live.shown[event->stream] += end + 1 - at;
		s->live.lines++;
		at = end + 1;
	}
	if (line->length - at > LIVE_BYTES)
		s->live.lines = LIVE_LINES;
	if (at) {
		memmove(line->data, line->data + at, line->length - at);
		buf_cut(line, line->length - at);
	}
}

static void screen_take_execute(struct screen *s, const struct event *event)
{
	if (!s->proposed)
		screen_show_code(s, event);
	s->proposed = false;
	screen_end_live(s);
	screen_begin_status(s, event, "preparing the sandbox", NULL);
}

/* @is_stopped  by Ctrl-C: the terminal has just echoed ^C on the line. */
static void screen_note_stop(struct screen *s, bool is_stopped)
{
	if (!is_stopped || s->stopped)
		return;
	s->stopped = true;
	console_echoed(&s->progress);
	console_fresh_line(&s->progress);
}

static void screen_take_executed(struct screen *s, const struct event *event)
{
	screen_begin_status(s, event, NULL, NULL);
	screen_note_stop(s, event->execution->verdict == CODE_CANCELLED);
	show_execution(&s->show, event->execution, s->live.shown);
	screen_end_live(s);
}

static void screen_say(struct screen *s, const char *before, enum style style,
		       const struct event *event)
{
	auto_buf struct buf line = {0};

	escape_line(event->text, event->length, &line);
	console_fresh_line(&s->progress);
	console_printf(&s->progress, style, "%s%s\n", before, buf_string(&line));
}

/* Write the answer; if the output is not a terminal, as text alone. */
static void screen_write_answer(struct screen *s, const char *text, size_t length)
{
	struct show show = s->show;
	struct reply_view view = {.show = &show};
	auto_buf struct buf safe = {0};

	show.console = &s->out;
	if (s->out.colour) {
		reply_view_begin(&view);
		reply_view_add(&view, CHAT_CONTENT, text, length);
		reply_view_end(&view);
		reply_view_fini(&view);
	} else {
		show_safe(&show, text, length, &safe);
		console_add(&s->out, STYLE_PLAIN, buf_string(&safe), safe.length);
	}
	console_fresh_line(&s->out);
	console_flush(&s->out);
}

static void screen_take_answer(struct screen *s, const struct event *event)
{
	bool shown = reply_view_answer(&s->reply, event->text, event->length);

	screen_begin_status(s, event, NULL, NULL);
	console_fresh_line(&s->progress);
	if (shown)
		return;
	console_flush(&s->progress);
	screen_write_answer(s, event->text, event->length);
}

static void screen_take_result(struct screen *s, const struct event *event)
{
	reply_view_end(&s->reply); /* a stop may have cut it in a word */
	screen_begin_status(s, event, NULL, NULL);
	screen_note_stop(s, event->result->outcome == OUTCOME_CANCELLED);
	show_result(&s->show, event->result);
	screen_forget_reply(s);
}

/* Whether this event shows that the reply before it was not the answer. */
static bool screen_is_no_answer(enum event_kind kind)
{
	return kind == EVENT_REQUEST || kind == EVENT_PROPOSE || kind == EVENT_EXECUTE ||
	       kind == EVENT_FEEDBACK || kind == EVENT_RESULT;
}

static void screen_take(struct event_sink *sink, const struct event *event)
{
	struct screen *s = (struct screen *)sink;

	if (screen_is_no_answer(event->kind))
		reply_view_release(&s->reply);
	switch (event->kind) {
	case EVENT_TASK:
		s->stopped = false;
		screen_forget_reply(s);
		break;
	case EVENT_REQUEST:
		screen_take_request(s, event);
		break;
	case EVENT_PIECE:
		screen_take_piece(s, event);
		break;
	case EVENT_REPLY:
		screen_take_reply(s, event);
		break;
	case EVENT_PROPOSE:
		screen_show_code(s, event);
		s->proposed = true; /* the code shown last is the code that runs */
		break;
	case EVENT_EXECUTE:
		screen_take_execute(s, event);
		break;
	case EVENT_BEGIN:
		screen_begin_status(s, event, "running", NULL);
		break;
	case EVENT_OUTPUT:
		screen_take_output(s, event);
		break;
	case EVENT_EXECUTED:
		screen_take_executed(s, event);
		break;
	case EVENT_FEEDBACK: /* --verbose shows it with the next request */
		break;
	case EVENT_NOTICE:
		screen_say(s, "glovebox: ", STYLE_WARN, event);
		break;
	case EVENT_ANSWER:
		screen_take_answer(s, event);
		break;
	case EVENT_RESULT:
		screen_take_result(s, event);
		break;
	}
	console_flush(&s->progress);
	s->sink.error = s->out.error;
}

/* Whether both descriptors lead to the same terminal. */
static bool screen_is_one_terminal(const struct screen *s)
{
	struct stat out;
	struct stat progress;

	return s->out.terminal && s->progress.terminal && !fstat(s->out.fd, &out) &&
	       !fstat(s->progress.fd, &progress) && out.st_rdev == progress.st_rdev;
}

struct event_sink *screen_new(const struct screen_options *options)
{
	struct screen *s = own_zeroed(1, sizeof(*s));

	s->sink.take = screen_take;
	s->options = *options;
	console_open(&s->progress, options->progress);
	console_open(&s->out, options->out);
	s->show = (struct show){
		.console = &s->progress,
		.raw = options->raw,
		.whole = options->verbose,
		.images = options->images && s->progress.terminal ? images_detect() : IMAGE_NONE,
		.output_fd = options->output_fd,
		.output_name = options->output_name ? options->output_name : "",
	};
	s->reply.show = &s->show;
	s->reply.hold = !screen_is_one_terminal(s);
	screen_forget_reply(s);
	return &s->sink;
}

void screen_free(struct event_sink *sink)
{
	struct screen *s = (struct screen *)sink;

	reply_view_release(&s->reply);
	reply_view_fini(&s->reply);
	screen_end_live(s);
	console_close(&s->progress);
	console_close(&s->out);
	free(s);
}
