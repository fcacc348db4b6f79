/*
 * segment - what the text of a reply is made of, told while it still comes.
 */
#include "agent/show/segment.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"

/* A tag, and what the text after it is. */
static const struct tag {
	const char *text;
	enum segment_kind then;
} tags[] = {
	{"<think>",         SEGMENT_THINKING},
        {"</think>",        SEGMENT_PROSE   },
	{"<thinking>",      SEGMENT_THINKING},
        {"</thinking>",     SEGMENT_PROSE   },
	{"<FINAL_ANSWER>",  SEGMENT_ANSWER  },
        {"</FINAL_ANSWER>", SEGMENT_PROSE   },
};

static void tell(struct segments *s, enum segment_kind kind, const char *text, size_t length)
{
	if (length)
		s->take(s->context, kind, text, length);
}

/* Drop the first bytes of what is held. */
static void drop(struct segments *s, size_t length)
{
	memmove(s->held.data, s->held.data + length, s->held.length - length);
	s->held.length -= length;
	s->held.data[s->held.length] = '\0';
}

/* Blanks before a fence, as Markdown allows them; more are an indented block. */
static size_t margin(const char *line, size_t length)
{
	size_t n = 0;

	while (n < length && (line[n] == ' ' || line[n] == '\t'))
		n++;
	return n;
}

static size_t run_of(const char *line, size_t length, char c)
{
	size_t n = 0;

	while (n < length && line[n] == c)
		n++;
	return n;
}

/* May this beginning of a line become a fence, or is it one already? */
static bool may_be_fence(const char *line, size_t length)
{
	size_t at = margin(line, length);
	size_t run;

	if (at == length)
		return true;
	if (line[at] != '`' && line[at] != '~')
		return false;
	run = run_of(line + at, length - at, line[at]);
	return run >= 3 || at + run == length;
}

static bool names_python(const char *info, size_t length)
{
	static const char *const names[] = {"python", "py", "python3", "py3", "ipython"};
	size_t word = 0;

	while (word < length && (isalnum((unsigned char)info[word])))
		word++;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == word && !strncasecmp(info, names[i], word))
			return true;
	return word == 0;
}

/* A complete line outside of code. Returns whether it opens a block. */
static bool opens(struct segments *s, const char *line, size_t length)
{
	size_t at = margin(line, length);
	size_t run;

	if (at == length || (line[at] != '`' && line[at] != '~'))
		return false;
	run = run_of(line + at, length - at, line[at]);
	/* ```x``` in one line is code inside prose. */
	if (run < 3 || (line[at] == '`' && memchr(line + at + run, '`', length - at - run)))
		return false;
	s->fence = line[at];
	s->fence_length = run;
	at += run;
	at += margin(line + at, length - at);
	s->python = names_python(line + at, length - at);
	return true;
}

static bool closes(const struct segments *s, const char *line, size_t length)
{
	size_t at = margin(line, length);
	size_t run = run_of(line + at, length - at, s->fence);

	at += run;
	return run >= s->fence_length && at + margin(line + at, length - at) == length;
}

/* The first line of what is held, whole: without its newline, and without CR. */
static void code_line(struct segments *s, size_t length)
{
	const char *line = s->held.data;
	size_t text = length && line[length - 1] == '\r' ? length - 1 : length;

	if (!s->mid_line && closes(s, line, text)) {
		s->now = s->around;
		tell(s, SEGMENT_FENCE, line, text);
		return;
	}
	s->take(s->context, SEGMENT_CODE, line, text);
}

/* As much as there is of code: whole lines. Returns whether anything was taken. */
static bool take_code(struct segments *s)
{
	const char *end = memchr(s->held.data, '\n', s->held.length);

	if (end) {
		size_t length = (size_t)(end - s->held.data);

		code_line(s, length);
		drop(s, length + 1);
		s->mid_line = false;
		return true;
	}
	if (s->held.length < SEGMENT_LINE)
		return false;
	s->take(s->context, SEGMENT_CODE, s->held.data, escape_whole(s->held.data, SEGMENT_LINE));
	drop(s, escape_whole(s->held.data, SEGMENT_LINE));
	s->mid_line = true;
	return true;
}

/* The tag that text begins with; *partial: it may become one. */
static const struct tag *tag_at(const char *text, size_t length, bool *partial)
{
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t whole = strlen(tags[i].text);

		if (length >= whole && !strncasecmp(text, tags[i].text, whole))
			return &tags[i];
		if (length < whole && !strncasecmp(text, tags[i].text, length))
			*partial = true;
	}
	return NULL;
}

static void take_tag(struct segments *s, const struct tag *tag)
{
	tell(s, SEGMENT_TAG, tag->text, strlen(tag->text));
	s->now = tag->then;
	drop(s, strlen(tag->text));
}

/* A line that begins like a fence, once it is whole. */
static bool take_fence(struct segments *s)
{
	const char *end = memchr(s->held.data, '\n', s->held.length);
	size_t length;

	if (!end)
		return false;
	length = (size_t)(end - s->held.data);
	if (length && s->held.data[length - 1] == '\r')
		length--;
	if (!opens(s, s->held.data, length))
		return false;
	tell(s, SEGMENT_FENCE, s->held.data, length);
	s->around = s->now;
	s->now = SEGMENT_CODE;
	drop(s, (size_t)(end - s->held.data) + 1);
	return true;
}

/* Text up to the next tag or the end of its line. Returns whether anything was taken. */
static bool take_text(struct segments *s)
{
	const char *text = s->held.data;
	size_t length = s->held.length;
	bool fence = !s->mid_line && s->now != SEGMENT_THINKING && may_be_fence(text, length);
	bool partial = false;
	size_t n = 0;

	if (fence && take_fence(s))
		return true;
	if (fence && !memchr(text, '\n', length) && length < SEGMENT_LINE)
		return false;
	while (n < length && text[n] != '\n') {
		const struct tag *tag =
			text[n] == '<' ? tag_at(text + n, length - n, &partial) : NULL;

		if (tag && n == 0) {
			take_tag(s, tag);
			return true;
		}
		if (tag || partial)
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
	tell(s, s->now, text, n);
	drop(s, n);
	return true;
}

void segments_add(struct segments *s, const char *text, size_t length)
{
	while (length) {
		/* Little by little: what is taken is moved out of the way each time. */
		size_t part = length < SEGMENT_LINE ? length : SEGMENT_LINE;

		buf_add(&s->held, text, part);
		text += part;
		length -= part;
		while (s->held.length && (s->now == SEGMENT_CODE ? take_code(s) : take_text(s)))
			;
	}
}

void segments_end(struct segments *s)
{
	/* A newline decides everything that was open; it is not told. */
	if (s->held.length && s->now == SEGMENT_CODE)
		code_line(s, s->held.length);
	else if (s->held.length && !s->mid_line && opens(s, s->held.data, s->held.length))
		tell(s, SEGMENT_FENCE, s->held.data, s->held.length);
	else if (s->held.length)
		tell(s, s->now, s->held.data, s->held.length);
	buf_fini(&s->held);
	*s = (struct segments){.take = s->take, .context = s->context};
}
