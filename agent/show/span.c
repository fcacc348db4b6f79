/*
 * span - split one line of Markdown into runs of one style.
 */
#include "agent/show/span.h"

#include <stdint.h>
#include <string.h>

#include "agent/data/text.h"

static bool span_is_blank(const struct span_line *line, size_t i)
{
	return i >= line->length || line->text[i] == ' ' || line->text[i] == '\t';
}

/* Whether the counterpart of this mark of `size` bytes follows. */
static bool span_is_closed(struct span *s, const struct span_line *line, size_t at, size_t size)
{
	const char *mark = line->text + at;
	size_t left = line->length - at - size;
	size_t look = left < SPAN_BYTES ? left : SPAN_BYTES;

	for (size_t i = 1; i + size <= look; i++) {
		const char *p = mark + size + i;

		if (memcmp(p, mark, size) != 0)
			continue;
		if (i + size == left && !line->complete)
			break; /* may be the first of two */
		if (*mark == '`' || (p[-1] != ' ' && (size == 2 || (p[1] != '*' && p[-1] != '*'))))
			return true;
	}
	s->undecided = s->undecided || (!line->complete && left < SPAN_BYTES);
	return false;
}

/* Whether asterisks open: only before a word; 2**3 and 2 * 3 are text. */
static bool span_may_open(const struct span_line *line, size_t at, size_t size)
{
	return !span_is_blank(line, at + size) && (at == 0 || !text_is_word(line->text[at - 1]));
}

/* Take the mark at `at`, and return its size; 0: it is text. */
static size_t span_take_mark(struct span *s, const struct span_line *line, size_t at)
{
	char c = line->text[at];
	size_t size = c == '*' && at + 1 < line->length && line->text[at + 1] == '*' ? 2 : 1;
	bool *on = size == 2 ? &s->bold : &s->italic;

	if (c == '`' || s->code) {
		if (c != '`' || (!s->code && !span_is_closed(s, line, at, 1)))
			return 0;
		s->code = !s->code;
		return 1;
	}
	if (c != '*')
		return 0;
	if (*on ? !at || span_is_blank(line, at - 1)
		: !span_may_open(line, at, size) || !span_is_closed(s, line, at, size))
		return 0;
	*on = !*on;
	return size;
}

static enum style span_style(const struct span *s)
{
	if (s->code)
		return STYLE_CODE;
	if (s->bold)
		return STYLE_BOLD;
	return s->italic ? STYLE_ITALIC : STYLE_PLAIN;
}

bool span_next(struct span *s, const struct span_line *line, size_t *at, size_t end,
	       struct span_run *out)
{
	size_t i;

	for (size_t taken = 1; *at < end && taken; *at += taken)
		taken = span_take_mark(s, line, *at);
	if (*at >= end)
		return false;
	/* A backslash turns a mark into text. */
	if (!s->code && line->text[*at] == '\\' && *at + 1 < end &&
	    strchr("\\`*_|#", line->text[*at + 1]))
		++*at;
	i = *at + 1;
	/* Two asterisks are text together. */
	if (line->text[*at] == '*')
		i = *at + text_run(line->text, *at, end);
	while (i < end && !strchr("\\`*", line->text[i]))
		i++;
	*out = (struct span_run){span_style(s), line->text + *at, i - *at};
	*at = i;
	return true;
}

size_t span_width(struct span *s, const struct span_line *line, size_t at, size_t end)
{
	struct span_run run;
	size_t width = 0;

	while (span_next(s, line, &at, end, &run)) {
		size_t used;

		console_cut(run.text, run.length, SIZE_MAX, &used);
		width += used;
	}
	return width;
}

void span_write(struct span *s, const struct span_line *line, size_t at, size_t end,
		enum style plain, struct console *c)
{
	struct span_run run;

	while (span_next(s, line, &at, end, &run))
		console_add(c, run.style == STYLE_PLAIN ? plain : run.style, run.text, run.length);
}
