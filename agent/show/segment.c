/*
 * segment - split a reply's text into its parts while it arrives.
 */
#include "agent/show/segment.h"

#include "agent/data/python_lexer.h"
#include "agent/data/tag.h"
#include "agent/data/text.h"
#include "base/escape.h"

static void segment_tell(struct segments *s, enum segment_kind kind, const char *text,
			 size_t length)
{
	if (length)
		s->take(s->context, kind, text, length);
}

/* Drop the first bytes of the buffer. */
static void segment_drop(struct segments *s, size_t length)
{
	s->before = s->held.data[length - 1];
	memmove(s->held.data, s->held.data + length, s->held.length - length);
	s->held.length -= length;
	s->held.data[s->held.length] = '\0';
}

/* Count the blanks before a fence that Markdown allows; more make an indented block. */
static size_t segment_margin(const char *line, size_t length)
{
	return text_pass(line, 0, length, " \t");
}

/* Whether this beginning of a line is a fence or may become one. */
static bool segment_may_be_fence(const char *line, size_t length)
{
	size_t at = segment_margin(line, length);
	size_t run;

	if (at == length)
		return true;
	if (line[at] != '`' && line[at] != '~')
		return false;
	run = text_run(line, at, length);
	return run >= 3 || at + run == length;
}

/* Read a complete line outside code. Returns whether it opens a block. */
static bool segment_opens(struct segments *s, const char *line, size_t length)
{
	size_t at = segment_margin(line, length);
	size_t run;

	if (at == length || (line[at] != '`' && line[at] != '~'))
		return false;
	run = text_run(line, at, length);
	/* ```x``` on one line is code inside prose. */
	if (run < 3 || (line[at] == '`' && memchr(line + at + run, '`', length - at - run)))
		return false;
	s->fence = line[at];
	s->fence_length = run;
	at = text_pass(line, at + run, length, " \t");
	/* A tag is not a language. */
	s->python =
		at == length || strchr("<[", line[at]) || python_language(line + at, length - at);
	return true;
}

static bool segment_closes(const struct segments *s, const char *line, size_t length)
{
	size_t at = segment_margin(line, length);
	size_t run = at < length && line[at] == s->fence ? text_run(line, at, length) : 0;

	return run >= s->fence_length && text_pass(line, at + run, length, " \t") == length;
}

/* Pass on the first line of the buffer, without its newline and CR. */
static void segment_code_line(struct segments *s, size_t length)
{
	const char *line = s->held.data;
	size_t text = length && line[length - 1] == '\r' ? length - 1 : length;

	if (!s->mid_line && segment_closes(s, line, text)) {
		s->now = s->around;
		segment_tell(s, SEGMENT_FENCE, line, text);
		return;
	}
	s->take(s->context, SEGMENT_CODE, line, text);
}

/* Pass on whole lines of code. Returns whether there were any. */
static bool segment_take_code(struct segments *s)
{
	size_t length = text_line_end(s->held.data, 0, s->held.length);

	if (length < s->held.length) {
		segment_code_line(s, length);
		segment_drop(s, length + 1);
		s->mid_line = false;
		return true;
	}
	if (s->held.length < SEGMENT_LINE)
		return false;
	s->take(s->context, SEGMENT_CODE, s->held.data, escape_whole(s->held.data, SEGMENT_LINE));
	segment_drop(s, escape_whole(s->held.data, SEGMENT_LINE));
	s->mid_line = true;
	return true;
}

static void segment_take_tag(struct segments *s, struct tag tag)
{
	segment_tell(s, SEGMENT_TAG, tag.name, strlen(tag.name));
	s->now = tag.kind == TAG_ANSWER ? SEGMENT_ANSWER : SEGMENT_THINKING;
	if (tag.closing)
		s->now = SEGMENT_PROSE;
	segment_drop(s, tag.length);
}

/* Read the tag at `at`; a quoted tag is text. */
static struct tag segment_tag_at(const struct segments *s, size_t at)
{
	const char *text = s->held.data + at;
	char before = at ? text[-1] : s->before;
	size_t left = s->held.length - at;
	struct tag tag = tag_read(text, left);

	if (tag.kind < TAG_THINKING || tag.closing || !before || !strchr("'\"`", before))
		return tag;
	if (left == tag.length)
		tag.kind = TAG_CUT;
	else if (text[tag.length] == before)
		tag.kind = TAG_NONE;
	return tag;
}

/* Read a complete line that begins like a fence. */
static bool segment_take_fence(struct segments *s)
{
	size_t end = text_line_end(s->held.data, 0, s->held.length);
	size_t length = end && s->held.data[end - 1] == '\r' ? end - 1 : end;

	if (end == s->held.length || !segment_opens(s, s->held.data, length))
		return false;
	segment_tell(s, SEGMENT_FENCE, s->held.data, length);
	s->around = s->now;
	s->now = SEGMENT_CODE;
	segment_drop(s, end + 1);
	return true;
}

/* Pass on text up to the next tag or line end. Returns whether there was any. */
static bool segment_take_text(struct segments *s)
{
	const char *text = s->held.data;
	size_t length = s->held.length;
	bool fence =
		!s->mid_line && s->now != SEGMENT_THINKING && segment_may_be_fence(text, length);
	size_t n = 0;

	if (fence && segment_take_fence(s))
		return true;
	if (fence && !memchr(text, '\n', length) && length < SEGMENT_LINE)
		return false;
	while (n < length && text[n] != '\n') {
		struct tag tag = segment_tag_at(s, n);

		if (tag.kind >= TAG_THINKING && n == 0) {
			segment_take_tag(s, tag);
			return true;
		}
		if (tag.kind != TAG_NONE)
			break;
		n++;
	}
	if (n < length && text[n] == '\n')
		n++;
	else if (n == length)
		n = escape_whole(text, length);
	if (n == 0)
		return false;
	s->mid_line = text[n - 1] != '\n';
	segment_tell(s, s->now, text, n);
	segment_drop(s, n);
	return true;
}

void segments_add(struct segments *s, const char *text, size_t length)
{
	while (length) {
		/* In small parts, because taking text moves the rest of the buffer. */
		size_t part = length < SEGMENT_LINE ? length : SEGMENT_LINE;

		buf_add(&s->held, text, part);
		text += part;
		length -= part;
		while (s->held.length &&
		       (s->now == SEGMENT_CODE ? segment_take_code(s) : segment_take_text(s)))
			;
	}
}

void segments_end(struct segments *s)
{
	/* A newline settles what was open; it is not passed on. */
	if (s->held.length && s->now == SEGMENT_CODE)
		segment_code_line(s, s->held.length);
	else if (s->held.length && !s->mid_line && segment_opens(s, s->held.data, s->held.length))
		segment_tell(s, SEGMENT_FENCE, s->held.data, s->held.length);
	else if (s->held.length)
		segment_tell(s, s->now, s->held.data, s->held.length);
	buf_fini(&s->held);
	*s = (struct segments){.take = s->take, .context = s->context};
}
