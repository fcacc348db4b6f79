/*
 * screen - the events of a task for people.
 */
#include "agent/show/screen.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/data/text.h"
#include "agent/show/console.h"
#include "agent/show/highlight.h"
#include "agent/show/segment.h"
#include "agent/show/show.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/own.h"

#define REMEMBERED_BYTES (1u << 20) /* of a reply, to know what was shown already */
#define REDRAW_US        100000

struct screen {
	struct event_sink sink; /* first: a sink is this */
	struct screen_options options;
	struct console progress;
	struct console out;
	struct show show;

	/* The reply that is coming. */
	struct segments segments;
	struct escape thinking; /* for the reply's thinking field */
	struct escape text;
	struct python_at highlight;
	enum segment_kind last;
	size_t pieces;
	struct buf content; /* the whole reply; then its answer and code */
	struct buf answer;
	struct buf code;

	/* The status line. */
	char doing[80];
	unsigned iteration;
	unsigned iterations;
	uint64_t since_us; /* when the current activity began */
	uint64_t first_piece_us;
	uint64_t drawn_us;
};

/* -- the status line ------------------------------------------------------------------ */

static void screen_draw_status(struct screen *s)
{
	auto_buf struct buf line = {0};
	uint64_t now = monotonic_us();
	double writing = (double)(now - s->first_piece_us) / 1e6;

	if (!s->progress.terminal || !s->doing[0])
		return;
	buf_printf(&line, "[%u/%u] %s  %.0f s", s->iteration, s->iterations, s->doing,
		   (double)(now - s->since_us) / 1e6);
	if (s->pieces > 1)
		buf_printf(&line, "  %zu tokens", s->pieces);
	if (s->pieces > 1 && writing > 0.2)
		buf_printf(&line, "  %.1f tokens/s", (double)s->pieces / writing);
	console_status(&s->progress, line.data);
	s->drawn_us = now;
}

/* What is being done; NULL: nothing. `what` is shortened to fit. */
static void screen_begin_status(struct screen *s, const struct event *event, const char *verb,
				const char *what)
{
	auto_buf struct buf safe = {.cap = sizeof(s->doing) - 1};
	size_t length;

	s->doing[0] = '\0';
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

/* Time has passed. */
static void screen_tick(struct screen *s)
{
	if (!s->doing[0] || monotonic_us() - s->drawn_us < REDRAW_US)
		return;
	screen_draw_status(s);
	console_flush(&s->progress);
}

/* -- a reply as it comes -------------------------------------------------------------- */

static void screen_write_stream(struct screen *s, struct escape *state, enum style style,
				const char *text, size_t length)
{
	auto_buf struct buf safe = {0};

	if (s->options.raw)
		buf_add(&safe, text, length);
	else
		escape_add(state, text, length, &safe);
	console_add(&s->progress, style, buf_string(&safe), safe.length);
}

static void screen_end_stream(struct screen *s, struct escape *state, enum style style)
{
	auto_buf struct buf safe = {0};

	escape_end(state, &safe);
	console_add(&s->progress, style, buf_string(&safe), safe.length);
}

static void screen_write_code(struct screen *s, const char *text, size_t length)
{
	auto_buf struct buf line = {0};

	if (s->progress.colour && s->segments.python)
		highlight_line(&s->highlight, text, length, &line);
	else
		show_safe(&s->show, text, length, &line);
	console_painted(&s->progress, &line);
	buf_add(&s->code, text, length);
	buf_add(&s->code, "\n", 1);
}

static void screen_take_segment(void *context, enum segment_kind kind, const char *text,
				size_t length)
{
	static const enum style styles[] = {
		[SEGMENT_PROSE] = STYLE_PLAIN,   [SEGMENT_THINKING] = STYLE_DIM,
		[SEGMENT_ANSWER] = STYLE_ANSWER, [SEGMENT_CODE] = STYLE_PLAIN,
		[SEGMENT_FENCE] = STYLE_DIM,     [SEGMENT_TAG] = STYLE_DIM,
	};
	struct screen *s = context;

	if (kind != s->last)
		screen_end_stream(s, &s->text, styles[s->last]);
	s->last = kind;
	switch (kind) {
	case SEGMENT_TAG:
		console_fresh_line(&s->progress);
		return;
	case SEGMENT_CODE:
		console_fresh_line(&s->progress);
		screen_write_code(s, text, length);
		return;
	case SEGMENT_FENCE:
		console_fresh_line(&s->progress);
		s->highlight = (struct python_at){0};
		screen_write_stream(s, &s->text, STYLE_DIM, text, length);
		console_text(&s->progress, STYLE_PLAIN, "\n");
		return;
	case SEGMENT_ANSWER:
		buf_add(&s->answer, text, length);
		break;
	case SEGMENT_PROSE:
	case SEGMENT_THINKING:
		break;
	}
	screen_write_stream(s, &s->text, styles[kind], text, length);
}

static void screen_forget_reply(struct screen *s)
{
	buf_fini(&s->segments.held);
	s->segments = (struct segments){.take = screen_take_segment, .context = s};
	s->thinking = (struct escape){0};
	s->text = (struct escape){0};
	s->last = SEGMENT_PROSE;
	s->pieces = 0;
	buf_fini(&s->content);
	buf_fini(&s->answer);
	buf_fini(&s->code);
}

static void screen_add_piece(struct screen *s, enum chat_piece kind, const char *text,
			     size_t length)
{
	if (kind == CHAT_THINKING) {
		screen_write_stream(s, &s->thinking, STYLE_DIM, text, length);
		return;
	}
	if (!s->content.length) {
		screen_end_stream(s, &s->thinking, STYLE_DIM);
		console_fresh_line(&s->progress);
	}
	buf_add(&s->content, text, length);
	segments_add(&s->segments, text, length);
}

static void screen_take_piece(struct screen *s, const struct event *event)
{
	if (!event->length) {
		screen_tick(s);
		return;
	}
	if (s->pieces++ == 0) {
		s->first_piece_us = monotonic_us();
		snprintf(s->doing, sizeof(s->doing), "writing");
	}
	screen_add_piece(s, event->piece, event->text, event->length);
	screen_draw_status(s);
}

static void screen_take_reply(struct screen *s, const struct event *event)
{
	const struct chat_message *m = &event->reply->message;

	if (!s->pieces) {
		if (m->thinking)
			screen_add_piece(s, CHAT_THINKING, m->thinking, strlen(m->thinking));
		screen_add_piece(s, CHAT_CONTENT, m->content, strlen(m->content));
	}
	screen_end_stream(s, &s->thinking, STYLE_DIM);
	segments_end(&s->segments);
	screen_end_stream(s, &s->text, STYLE_PLAIN);
	console_fresh_line(&s->progress);
	screen_begin_status(s, event, NULL, NULL);
}

/* -- what was shown already ----------------------------------------------------------- */

/* Equal except for white space: code is put together again from its blocks. */
static bool screen_is_same(const struct buf *shown, const char *text, size_t length)
{
	static const char space[] = " \t\n\v\f\r";
	const char *have = buf_string(shown);

	for (size_t i = 0, k = 0;; i++, k++) {
		i = text_pass(have, i, shown->length, space);
		k = text_pass(text, k, length, space);
		if (i == shown->length || k == length)
			return i == shown->length && k == length && length;
		if (have[i] != text[k])
			return false;
	}
}

/* -- everything else ------------------------------------------------------------------ */

static void screen_take_request(struct screen *s, const struct event *event)
{
	screen_forget_reply(s);
	if (s->options.verbose)
		show_conversation(&s->show, event->request);
	console_fresh_line(&s->progress);
	screen_begin_status(s, event, "waiting for ", event->request->model);
}

static void screen_take_execute(struct screen *s, const struct event *event)
{
	auto_buf struct buf line = {0};

	screen_begin_status(s, event, NULL, NULL);
	console_fresh_line(&s->progress);
	if (event->description)
		escape_line(event->description, strlen(event->description), &line);
	console_printf(&s->progress, STYLE_HEAD, "> run%s%s\n", line.length ? ": " : "",
		       buf_string(&line));
	if (!screen_is_same(&s->code, event->text, event->length))
		show_code(&s->show, event->text, event->length);
	screen_begin_status(s, event, "running ", event->description);
}

static void screen_take_executed(struct screen *s, const struct event *event)
{
	screen_begin_status(s, event, NULL, NULL);
	show_execution(&s->show, event->execution);
}

static void screen_say(struct screen *s, const char *before, enum style style,
		       const struct event *event)
{
	auto_buf struct buf line = {0};

	escape_line(event->text, event->length, &line);
	console_fresh_line(&s->progress);
	console_printf(&s->progress, style, "%s%s\n", before, buf_string(&line));
}

static void screen_take_answer(struct screen *s, const struct event *event)
{
	bool shown = s->progress.terminal && s->out.terminal &&
		     (screen_is_same(&s->answer, event->text, event->length) ||
		      screen_is_same(&s->content, event->text, event->length));
	auto_buf struct buf safe = {0};

	screen_begin_status(s, event, NULL, NULL);
	console_fresh_line(&s->progress);
	if (shown)
		return;
	console_flush(&s->progress);
	show_safe(&s->show, event->text, event->length, &safe);
	console_add(&s->out, STYLE_ANSWER, buf_string(&safe), safe.length);
	console_fresh_line(&s->out);
	console_flush(&s->out);
}

static void screen_take(struct event_sink *sink, const struct event *event)
{
	struct screen *s = (struct screen *)sink;

	switch (event->kind) {
	case EVENT_TASK:
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
	case EVENT_EXECUTE:
		screen_take_execute(s, event);
		break;
	case EVENT_EXECUTED:
		screen_take_executed(s, event);
		break;
	case EVENT_FEEDBACK:
		screen_say(s, "told the model: ", STYLE_DIM, event);
		break;
	case EVENT_NOTICE:
		screen_say(s, "glovebox: ", STYLE_WARN, event);
		break;
	case EVENT_ANSWER:
		screen_take_answer(s, event);
		break;
	case EVENT_RESULT:
		screen_begin_status(s, event, NULL, NULL);
		show_result(&s->show, event->result);
		screen_forget_reply(s);
		break;
	}
	console_flush(&s->progress);
	s->sink.error = s->out.error;
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
	s->content.cap = REMEMBERED_BYTES;
	s->answer.cap = REMEMBERED_BYTES;
	s->code.cap = REMEMBERED_BYTES;
	screen_forget_reply(s);
	return &s->sink;
}

void screen_free(struct event_sink *sink)
{
	struct screen *s = (struct screen *)sink;

	screen_forget_reply(s);
	console_close(&s->progress);
	console_close(&s->out);
	free(s);
}
