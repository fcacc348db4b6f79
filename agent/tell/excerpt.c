/*
 * excerpt - cut a long text to its head and tail, and say how much is left out.
 */
#include "agent/tell/excerpt.h"

#include "agent/data/text.h"
#include "agent/tell/defuse.h"

/* The rest of a flood is not read. */
enum { RAW_HEAD = 64 * 1024, RAW_TAIL = 128 * 1024 };

/* Bytes kept of a line in a traceback that is too large, usually an exception's message. */
enum { LINE_HEAD = 500, LINE_TAIL = 300 };

static const char header[] = "Traceback (most recent call last):";

static bool excerpt_is_continuation(char c) /* a UTF-8 continuation byte */
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t excerpt_characters(const char *text, size_t start, size_t end)
{
	size_t n = 0;

	for (size_t i = start; i < end; i++)
		n += !excerpt_is_continuation(text[i]);
	return n;
}

static size_t excerpt_lines(const char *text, size_t start, size_t end)
{
	size_t n = 0;

	for (size_t i = start; i < end; i++)
		n += text[i] == '\n';
	return n;
}

static size_t excerpt_line_start(const char *text, size_t i)
{
	while (i > 0 && text[i - 1] != '\n')
		i--;
	return i;
}

/* Whether the line at i is blank, or links a chained traceback to the one before it. */
static bool excerpt_is_link(const char *text, size_t i, size_t length)
{
	size_t n = text_next_line(text, i, length) - i;

	return n <= 1 || (n > 20 && memmem(text + i, n, "above exception", 15));
}

/* Return the end of a traceback: its first unindented line, which names the exception. */
static size_t excerpt_traceback_end(const char *text, size_t i, size_t length)
{
	for (;;) {
		size_t after;

		i = text_next_line(text, i, length);
		while (i < length && strchr(" |\t", text[i]))
			i = text_next_line(text, i, length);
		i = text_next_line(text, i, length);
		for (after = i; after < length && excerpt_is_link(text, after, length);)
			after = text_next_line(text, after, length);
		if (!text_begins(text + after, length - after, header))
			return i;
		i = after;
	}
}

/* Find the traceback around `at`: whole lines, with chained ones. */
static bool excerpt_traceback_around(const char *text, size_t length, size_t at, size_t *start,
				     size_t *end)
{
	for (size_t i = 0; i < at; i = *end) {
		const char *found = memmem(text + i, length - i, header, sizeof(header) - 1);

		if (!found)
			return false;
		*start = excerpt_line_start(text, (size_t)(found - text));
		*end = excerpt_traceback_end(text, (size_t)(found - text), length);
		if (*start < at && at < *end)
			return true;
	}
	return false;
}

/* The parts of a text that are shown: up to `head`, and from `tail` on. */
struct cut {
	size_t head;
	size_t tail;
};

static void excerpt_cut_at_lines(const char *text, size_t length, size_t max, struct cut *c)
{
	size_t line;

	c->head = max / 3;
	c->tail = length - (max - max / 3);
	line = excerpt_line_start(text, c->head);
	if (line > c->head / 2)
		c->head = line;
	line = text_next_line(text, c->tail, length);
	if (line - c->tail < (length - c->tail) / 2)
		c->tail = line;
	while (c->head > 0 && excerpt_is_continuation(text[c->head]))
		c->head--;
	while (c->tail < length && excerpt_is_continuation(text[c->tail]))
		c->tail++;
}

static void excerpt_spare_tracebacks(const char *text, size_t length, size_t max, struct cut *c)
{
	size_t start;
	size_t end;

	if (excerpt_traceback_around(text, length, c->head, &start, &end) && end - start <= max)
		c->head = start ? start : end;
	if (c->tail > c->head && excerpt_traceback_around(text, length, c->tail, &start, &end) &&
	    end - start <= max)
		c->tail = start;
}

static void excerpt_put_cut(const char *text, size_t length, const struct cut *c,
			    size_t more_characters, size_t more_lines, struct buf *out)
{
	size_t left_out = excerpt_characters(text, c->head, c->tail) + more_characters;
	size_t lines_out = excerpt_lines(text, c->head, c->tail) + more_lines;

	buf_add(out, text, c->head);
	if (c->head && text[c->head - 1] != '\n')
		buf_text(out, "\n");
	buf_printf(out, "[... %zu characters in %zu lines left out ...]\n", left_out, lines_out);
	buf_add(out, text + c->tail, length - c->tail);
}

void excerpt_output(const void *bytes, size_t length, size_t max, size_t traceback_max,
		    struct buf *out)
{
	const char *raw = bytes;
	bool flood = length > RAW_HEAD + RAW_TAIL;
	auto_buf struct buf text = {0};
	struct cut c;
	size_t gap;

	defuse(raw, flood ? RAW_HEAD : length, &text);
	gap = text.length;
	if (flood)
		defuse(raw + length - RAW_TAIL, RAW_TAIL, &text);
	if (text.length <= max && !flood) {
		buf_add(out, text.data, text.length);
		return;
	}
	if (text.length > max)
		excerpt_cut_at_lines(buf_string(&text), text.length, max, &c);
	else
		c = (struct cut){gap, gap};
	excerpt_spare_tracebacks(buf_string(&text), text.length, traceback_max, &c);
	if (flood) {
		c.head = c.head < gap ? c.head : gap;
		c.tail = c.tail > gap ? c.tail : gap;
		excerpt_put_cut(buf_string(&text), text.length, &c, length - RAW_HEAD - RAW_TAIL,
				excerpt_lines(raw, RAW_HEAD, length - RAW_TAIL), out);
	} else if (c.head < c.tail) {
		excerpt_put_cut(buf_string(&text), text.length, &c, 0, 0, out);
	} else {
		buf_add(out, text.data, text.length);
	}
}

/* Write a line without its middle. */
static void excerpt_put_short_line(const char *line, size_t length, struct buf *out)
{
	size_t head = LINE_HEAD;
	size_t tail = length - LINE_TAIL;

	if (length <= LINE_HEAD + LINE_TAIL + 100) {
		buf_add(out, line, length);
		return;
	}
	while (excerpt_is_continuation(line[head]))
		head--;
	while (excerpt_is_continuation(line[tail]))
		tail++;
	buf_add(out, line, head);
	buf_printf(out, "[... %zu characters left out ...]", excerpt_characters(line, head, tail));
	buf_add(out, line + tail, length - tail);
}

void excerpt_traceback(const char *text, size_t max, struct buf *out)
{
	size_t length = strlen(text);
	auto_buf struct buf whole = {0};
	auto_buf struct buf shorter = {0};
	const char *visible;

	defuse(text, length, &whole);
	visible = buf_string(&whole);
	if (whole.length <= max) {
		buf_add(out, visible, whole.length);
		return;
	}
	for (size_t i = 0, next; i < whole.length; i = next) {
		next = text_next_line(visible, i, whole.length);
		excerpt_put_short_line(visible + i, next - i, &shorter);
	}
	if (shorter.length > max) {
		struct cut c;

		excerpt_cut_at_lines(shorter.data, shorter.length, max, &c);
		excerpt_put_cut(shorter.data, shorter.length, &c, 0, 0, out);
		return;
	}
	buf_add(out, shorter.data, shorter.length);
}
