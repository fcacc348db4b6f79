/*
 * reply_end - detect while a reply arrives that the rest of it does not matter.
 */
#include "agent/reply/reply_end.h"

#include <stdint.h>
#include <string.h>

#include "agent/data/tag.h"
#include "agent/reply/extract.h"

enum {
	TEXT_BYTES = 1 << 20, /* the rest is not examined */
	LOOP_LINES = 24,
	LOOP_PERIOD = 8, /* lines of one loop */
	TRIES = 64,      /* bounds the cost of replies that quote the tag again and again */
};

/* Return the start of the line before the one at `at`. */
static size_t reply_end_line_before(const char *text, size_t at)
{
	const char *newline = at > 1 ? memrchr(text, '\n', at - 1) : NULL;

	return newline ? (size_t)(newline - text) + 1 : 0;
}

/* Whether the last lines repeat the `bytes` before them. */
static bool reply_end_repeats(const char *text, size_t end, size_t bytes, size_t start)
{
	return start >= bytes && !memcmp(text + start - bytes, text + start, end - start);
}

/*
 * Return the length of the repeated text if the last LOOP_LINES lines are a loop; else 0. `end`
 * follows a newline.
 */
static size_t reply_end_turn(const char *text, size_t end)
{
	size_t lines[LOOP_LINES];
	size_t at = end;

	for (size_t i = 0; i < LOOP_LINES; i++) {
		if (at == 0)
			return 0;
		lines[i] = at = reply_end_line_before(text, at);
	}
	for (size_t period = 0; period < LOOP_PERIOD; period++)
		if (reply_end_repeats(text, end, end - lines[period], at))
			return end - lines[period];
	return 0;
}

/* Return the start of the second repetition. */
static size_t reply_end_second_turn(const char *text, size_t end, size_t turn)
{
	size_t start = end - turn;

	while (start >= turn && !memcmp(text + start - turn, text + end - turn, turn))
		start -= turn;
	return start + turn;
}

static bool reply_end_loops(struct reply_end *r, enum chat_piece kind)
{
	const struct buf *b = &r->text[kind];
	const char *newline = memrchr(b->data, '\n', b->length);
	size_t end = newline ? (size_t)(newline - b->data) + 1 : 0;
	size_t turn = reply_end_turn(b->data, end);

	if (turn && kind == CHAT_CONTENT)
		r->loop = reply_end_second_turn(b->data, end, turn);
	return turn;
}

/*
 * Examine the new text: does it have a closing tag of an answer, or a line that only others write?
 * A tag counts once its line has ended, because the rest of the line may decide.
 */
static bool reply_end_is_likely(struct reply_end *r, const struct buf *b)
{
	bool likely = r->tag_in_line;

	for (; r->seen < b->length; r->seen++) {
		struct tag tag = tag_read(b->data + r->seen, b->length - r->seen);

		if (tag.kind == TAG_CUT)
			break;
		if (tag.kind == TAG_ANSWER && tag.closing)
			likely = r->tag_in_line = true;
		if (b->data[r->seen] != '\n')
			continue;
		if (extract_is_invented(b->data + r->line, r->seen - r->line))
			likely = true;
		r->line = r->seen + 1;
		r->tag_in_line = false;
	}
	return likely;
}

static bool reply_end_is_decided(const char *text)
{
	auto_extract struct extract x = {0};

	extract_reply(text, &x);
	return !x.code_unclosed && !x.mistaken && (x.invented || x.answer || x.early_answer);
}

void reply_end_add(struct reply_end *r, enum chat_piece kind, const char *text, size_t length)
{
	struct buf *b = &r->text[kind];

	if (r->ended || !length || b->length + length > TEXT_BYTES)
		return;
	buf_add(b, text, length);
	if (memchr(text, '\n', length))
		r->ended = reply_end_loops(r, kind);
	if (r->ended || kind != CHAT_CONTENT)
		return;
	if (r->tries < TRIES && reply_end_is_likely(r, b)) {
		r->tries++;
		r->ended = reply_end_is_decided(b->data);
	}
}

void reply_end_fini(struct reply_end *r)
{
	buf_fini(&r->text[CHAT_CONTENT]);
	buf_fini(&r->text[CHAT_THINKING]);
}
