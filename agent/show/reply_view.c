/*
 * reply_view - show the text of a reply on a console while it arrives.
 */
#include "agent/show/reply_view.h"

#include "agent/data/text.h"
#include "agent/show/highlight.h"

#define REMEMBERED_BYTES (1u << 20) /* of a reply, to recognise what was shown already */

/* Write safe text: prose, an answer, or other text. */
static void reply_view_put(struct reply_view *v, enum style style, const struct buf *safe)
{
	struct console *c = v->show->console;

	if (style == STYLE_PLAIN && c->colour && !v->show->raw)
		markdown_add(&v->markdown, buf_string(safe), safe->length);
	else
		console_add(c, style, buf_string(safe), safe->length);
}

static void reply_view_write(struct reply_view *v, struct escape *state, enum style style,
			     const char *text, size_t length)
{
	auto_buf struct buf safe = {0};

	if (v->show->raw)
		buf_add(&safe, text, length);
	else
		escape_add(state, text, length, &safe);
	reply_view_put(v, style, &safe);
}

static void reply_view_end_stream(struct reply_view *v, struct escape *state, enum style style)
{
	auto_buf struct buf safe = {0};

	escape_end(state, &safe);
	reply_view_put(v, style, &safe);
	markdown_end(&v->markdown);
}

static void reply_view_write_code(struct reply_view *v, const char *text, size_t length)
{
	auto_buf struct buf line = {0};

	if (v->show->console->colour && v->segments.python)
		highlight_line(&v->highlight, text, length, &line);
	else
		show_safe(v->show, text, length, &line);
	console_painted(v->show->console, &line);
}

static const enum style reply_view_styles[] = {
	[SEGMENT_PROSE] = STYLE_PLAIN,  [SEGMENT_THINKING] = STYLE_DIM,
	[SEGMENT_ANSWER] = STYLE_PLAIN, [SEGMENT_CODE] = STYLE_PLAIN,
	[SEGMENT_FENCE] = STYLE_DIM,    [SEGMENT_TAG] = STYLE_DIM,
};

static void reply_view_show(struct reply_view *v, enum segment_kind kind, const char *text,
			    size_t length)
{
	if (kind != v->last)
		reply_view_end_stream(v, &v->text, reply_view_styles[v->last]);
	v->last = kind;
	if (kind == SEGMENT_TAG || kind == SEGMENT_CODE || kind == SEGMENT_FENCE)
		console_fresh_line(v->show->console);
	if (kind == SEGMENT_TAG)
		return;
	if (kind == SEGMENT_CODE) {
		reply_view_write_code(v, text, length);
		return;
	}
	reply_view_write(v, &v->text, reply_view_styles[kind], text, length);
	if (kind == SEGMENT_FENCE) {
		v->highlight = (struct python_at){0};
		console_text(v->show->console, STYLE_PLAIN, "\n");
	}
}

/* Remember the text, to recognise the code that runs, and the answer. */
static void reply_view_keep(struct reply_view *v, enum segment_kind kind, bool in_answer,
			    const char *text, size_t length)
{
	const char *end = kind == SEGMENT_CODE || kind == SEGMENT_FENCE ? "\n" : "";

	if (kind == SEGMENT_TAG || kind == SEGMENT_THINKING)
		return;
	buf_add(&v->whole, text, length);
	buf_text(&v->whole, end);
	if (in_answer) {
		buf_add(&v->answer, text, length);
		buf_text(&v->answer, end);
	}
	if (kind == SEGMENT_CODE) {
		buf_add(&v->code, text, length);
		buf_text(&v->code, end);
	}
}

static void reply_view_keep_tail(struct reply_view *v, enum segment_kind kind, const char *text,
				 size_t length)
{
	buf_add(&v->tail, text, length);
	if (kind == SEGMENT_CODE || kind == SEGMENT_FENCE)
		buf_text(&v->tail, "\n");
}

static bool reply_view_closes_answer(enum segment_kind kind, const char *text, size_t length)
{
	static const char tag[] = "</FINAL_ANSWER>";

	return kind == SEGMENT_TAG && length == strlen(tag) && !memcmp(text, tag, length);
}

static void reply_view_take(void *context, enum segment_kind kind, const char *text, size_t length)
{
	struct reply_view *v = context;
	bool code = kind == SEGMENT_CODE || kind == SEGMENT_FENCE;
	bool in_answer =
		kind == SEGMENT_ANSWER ||
		(code &&
		 (v->segments.now == SEGMENT_ANSWER ||
		  (v->segments.now == SEGMENT_CODE && v->segments.around == SEGMENT_ANSWER)));

	reply_view_keep(v, kind, in_answer, text, length);
	if (v->behind && !v->muted)
		reply_view_keep_tail(v, kind, text, length);
	else if (!v->muted && !(v->no_answer && in_answer))
		reply_view_show(v, kind, text, length);
	if (!v->behind && reply_view_closes_answer(kind, text, length)) {
		v->behind = true;
		v->before = v->whole.length;
	}
}

static void reply_view_reset(struct reply_view *v)
{
	buf_fini(&v->segments.held);
	v->segments = (struct segments){.take = reply_view_take, .context = v};
	v->text = (struct escape){0};
	buf_fini(&v->markdown.line);
	buf_fini(&v->markdown.table);
	v->markdown = (struct markdown){.console = v->show->console};
	v->last = SEGMENT_PROSE;
	v->behind = false;
	v->before = 0;
	buf_fini(&v->tail);
	buf_fini(&v->whole);
	buf_fini(&v->answer);
	buf_fini(&v->code);
	v->whole.cap = v->answer.cap = v->code.cap = REMEMBERED_BYTES;
}

void reply_view_begin(struct reply_view *v)
{
	reply_view_reset(v);
	v->thinking = (struct escape){0};
	v->muted = v->hold;
	v->no_answer = false;
	buf_fini(&v->held);
}

void reply_view_add(struct reply_view *v, enum chat_piece kind, const char *text, size_t length)
{
	if (kind == CHAT_THINKING) {
		reply_view_write(v, &v->thinking, STYLE_DIM, text, length);
		return;
	}
	if (!v->whole.length) {
		reply_view_end_stream(v, &v->thinking, STYLE_DIM);
		console_fresh_line(v->show->console);
	}
	if (v->muted)
		buf_add(&v->held, text, length);
	segments_add(&v->segments, text, length);
}

static void reply_view_finish(struct reply_view *v)
{
	segments_end(&v->segments);
	reply_view_end_stream(v, &v->text, STYLE_PLAIN);
	console_fresh_line(v->show->console);
}

void reply_view_end(struct reply_view *v)
{
	reply_view_end_stream(v, &v->thinking, STYLE_DIM);
	reply_view_finish(v);
}

/* Compare without white space: code is reassembled from its blocks. */
static bool reply_view_is_same(const struct buf *shown, size_t shown_length, const char *text,
			       size_t length)
{
	static const char space[] = " \t\n\v\f\r";
	const char *have = buf_string(shown);

	for (size_t i = 0, k = 0;; i++, k++) {
		i = text_pass(have, i, shown_length, space);
		k = text_pass(text, k, length, space);
		if (text_begins(text + k, length - k, PYTHON_NEXT_BLOCK))
			k = text_pass(text, k + strlen(PYTHON_NEXT_BLOCK), length, space);
		if (i == shown_length || k == length)
			return i == shown_length && k == length && length;
		if (have[i] != text[k])
			return false;
	}
}

bool reply_view_has_code(const struct reply_view *v, const char *code, size_t length)
{
	return reply_view_is_same(&v->code, v->code.length, code, length);
}

/* Write the held text, except for words behind an answer. */
static void reply_view_write_held(struct reply_view *v)
{
	if (!v->held.length)
		return;
	reply_view_reset(v);
	v->muted = false;
	segments_add(&v->segments, v->held.data, v->held.length);
	reply_view_finish(v);
	buf_fini(&v->held);
}

static void reply_view_take_tail(void *context, enum segment_kind kind, const char *text,
				 size_t length)
{
	reply_view_show(context, kind, text, length);
}

static void reply_view_write_tail(struct reply_view *v)
{
	struct segments coming = v->segments;
	auto_buf struct buf tail = v->tail;

	if (!tail.length)
		return;
	v->tail = (struct buf){0};
	v->segments = (struct segments){.take = reply_view_take_tail, .context = v};
	segments_add(&v->segments, tail.data, tail.length);
	reply_view_finish(v);
	v->segments = coming;
}

void reply_view_release(struct reply_view *v)
{
	reply_view_write_held(v);
	reply_view_write_tail(v);
}

bool reply_view_answer(struct reply_view *v, const char *text, size_t length)
{
	bool whole = reply_view_is_same(&v->whole, v->whole.length, text, length);
	bool between = reply_view_is_same(&v->answer, v->answer.length, text, length);
	bool head = v->behind && reply_view_is_same(&v->whole, v->before, text, length);

	if ((whole || head) && v->hold)
		buf_fini(&v->held);
	v->no_answer = v->hold && between;
	reply_view_write_held(v);
	if (whole)
		reply_view_write_tail(v);
	buf_fini(&v->tail);
	return (whole || between || head) && !v->hold;
}

void reply_view_fini(struct reply_view *v)
{
	reply_view_begin(v);
}
