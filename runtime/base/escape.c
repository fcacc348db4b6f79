/*
 * escape - make any bytes safe for a terminal.
 */
#include "base/escape.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct range {
	uint32_t first;
	uint32_t last;
};

/* Besides C0, these are never sent to a terminal. */
static const struct range hidden[] = {
	{0x007f,  0x009f }, /* DEL, C1 */
	{0x2028,  0x202e }, /* separators, embeddings and overrides of direction */
	{0x2060,  0x206f }, /* isolates, invisible operators */
	{0xfdd0,  0xfdef }, /* not characters */
	{0xfeff,  0xfeff }, /* byte order mark */
	{0xfff0,  0xfffb }, /* annotations */
	{0xe0000, 0xe0fff}, /* tags, and selectors that can smuggle text */
};

/*
 * In names these are hidden, too: everything without width (Default_Ignorable_Code_Point of
 * Unicode), so that two names do not look alike, and the marks that change the direction of their
 * neighbours. The joiners (U+200C, U+200D) and U+FE00 to U+FE0F stay: Persian, Hindi and emoji need
 * them.
 */
static const struct range hidden_in_lines[] = {
	{0x00ad,  0x00ad }, /* soft hyphen */
	{0x034f,  0x034f }, /* grapheme joiner */
	{0x061c,  0x061c }, /* mark of direction */
	{0x115f,  0x1160 }, /* Hangul fillers */
	{0x17b4,  0x17b5 }, /* Khmer vowels that are not written */
	{0x180b,  0x180f }, /* Mongolian selectors */
	{0x200b,  0x200b }, /* zero width space */
	{0x200e,  0x200f }, /* marks of direction */
	{0x3164,  0x3164 }, /* Hangul filler */
	{0xffa0,  0xffa0 }, /* the same, half as wide */
	{0x1bca0, 0x1bca3}, /* controls of shorthand */
	{0x1d173, 0x1d17a}, /* controls of musical notation */
};

static bool escape_is_within(uint32_t code, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

static bool escape_is_hidden(uint32_t code, bool lines)
{
	if (code < 0x7f)
		return code < 0x20;
	if ((code & 0xfffe) == 0xfffe || escape_is_within(code, hidden, COUNT(hidden)))
		return true;
	return !lines && escape_is_within(code, hidden_in_lines, COUNT(hidden_in_lines));
}

bool escape_hides(uint32_t code)
{
	return escape_is_hidden(code, false);
}

static void escape_show(uint32_t code, struct buf *out)
{
	static const char named[] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};

	if (code < sizeof(named) && named[code])
		buf_add(out, (char[]){'\\', named[code]}, 2);
	else if (code < 0x100)
		buf_printf(out, "\\x%02x", code);
	else if (code < 0x10000)
		buf_printf(out, "\\u%04x", code);
	else
		buf_printf(out, "\\U%08x", code);
}

/* Write one character, or one invalid byte. Returns the bytes used. */
static size_t escape_one(const unsigned char *p, size_t left, bool lines, struct buf *out)
{
	uint32_t code;
	size_t used = utf8_decode(p, left, &code);

	if (utf8_is_substitute(p, used, code)) {
		for (size_t i = 0; i < used; i++)
			escape_show(p[i], out);
		return used;
	}
	if (lines && code == '\r' && left > 1 && p[1] == '\n') {
		buf_add(out, "\n", 1);
		return 2;
	}
	if (escape_is_hidden(code, lines) && !(lines && (code == '\n' || code == '\t')))
		escape_show(code, out);
	else
		buf_add(out, p, used);
	return used;
}

/* Copy a run of plain ASCII, most of every text, in one piece. */
static size_t escape_plain_run(const unsigned char *p, size_t length)
{
	size_t n = 0;

	while (n < length && p[n] >= 0x20 && p[n] < 0x7f)
		n++;
	return n;
}

static void escape_run(const void *bytes, size_t length, bool lines, struct buf *out)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < length;) {
		size_t plain = escape_plain_run(p + i, length - i);

		buf_add(out, p + i, plain);
		i += plain;
		if (i < length)
			i += escape_one(p + i, length - i, lines, out);
	}
}

void escape_text(const void *bytes, size_t length, struct buf *out)
{
	escape_run(bytes, length, true, out);
}

void escape_line(const void *bytes, size_t length, struct buf *out)
{
	escape_run(bytes, length, false, out);
}

size_t escape_whole(const void *bytes, size_t length)
{
	const unsigned char *p = bytes;

	if (length && p[length - 1] == '\r')
		return length - 1;
	for (size_t back = 1; back <= 3 && back <= length; back++) {
		const unsigned char *lead = p + length - back;

		if ((*lead & 0xc0) == 0x80)
			continue;
		if (utf8_is_partial(lead, back))
			return length - back;
		break;
	}
	return length;
}

void escape_add(struct escape *s, const void *bytes, size_t length, struct buf *out)
{
	const char *p = bytes;

	while (s->held_count && length) {
		size_t whole;

		s->held[s->held_count++] = *p++;
		length--;
		whole = escape_whole(s->held, s->held_count);
		if (whole == 0)
			continue;
		escape_text(s->held, whole, out);
		s->held_count -= whole;
		memmove(s->held, s->held + whole, s->held_count);
	}
	if (length) {
		size_t whole = escape_whole(p, length);

		escape_text(p, whole, out);
		s->held_count = length - whole;
		memcpy(s->held, p + whole, s->held_count);
	}
}

void escape_end(struct escape *s, struct buf *out)
{
	escape_text(s->held, s->held_count, out);
	s->held_count = 0;
}
