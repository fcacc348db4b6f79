/*
 * python_characters - typographic characters in code, where Python does not allow them.
 *
 * Theory of operation. Outside strings and comments a typographic quote can only be meant as a
 * delimiter: it opens a string that ends at the next quote of its kind in the line. A string that
 * an ASCII quote opens and nothing closes in its line is closed by the last typographic one. The
 * content of strings is never changed, except that a delimiter in it is escaped.
 */
#include "agent/data/python_lexer.h"
#include "agent/reply/python_repair.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

enum { STRING_BYTES = 4096 }; /* longer ones are ignored, to keep the cost linear */

/* The ASCII substitute for each of them in code. */
static const struct substitute {
	uint32_t first;
	uint32_t last;
	const char *text;
} substitutes[] = {
	{0x00a0, 0x00a0, " "}, /* no-break space */
	{0x200b, 0x200f, "" }, /* without a width */
	{0xfeff, 0xfeff, "" }, /* byte order mark */
	{0x2010, 0x2013, "-"}, /* dashes, minus */
	{0x2212, 0x2212, "-"},
        {0xff08, 0xff08, "("}, /* fullwidth */
	{0xff09, 0xff09, ")"},
        {0xff0c, 0xff0c, ","},
};

/* '"' or '\'' for a typographic quote, 0 for every other character. */
static char python_characters_quote_of(uint32_t code)
{
	if (code >= 0x201c && code <= 0x201f)
		return '"';
	return code >= 0x2018 && code <= 0x201b ? '\'' : '\0';
}

static char python_characters_quote_at(const struct buf *in, size_t i, size_t *n)
{
	uint32_t code;

	*n = utf8_decode((const unsigned char *)in->data + i, in->length - i, &code);
	return python_characters_quote_of(code);
}

/* An apostrophe, as in "It’s": a letter follows. */
static bool python_characters_is_apostrophe(const struct buf *in, size_t i, size_t n, char quote)
{
	return quote == '\'' && i + n < in->length && isalnum((unsigned char)in->data[i + n]);
}

/* Where in the line the string ends that a typographic quote opened; 0: nowhere. */
static size_t python_characters_find_close(const struct buf *in, size_t i, char quote,
					   size_t *close_length)
{
	size_t limit = in->length - i < STRING_BYTES ? in->length : i + STRING_BYTES;
	size_t ascii = 0;

	for (size_t n; i < limit && in->data[i] != '\n'; i += n) {
		if (python_characters_quote_at(in, i, &n) == quote &&
		    !python_characters_is_apostrophe(in, i, n, quote)) {
			*close_length = n;
			return i;
		}
		if (!ascii && in->data[i] == quote)
			ascii = i;
	}
	*close_length = 1;
	return ascii;
}

/*
 * Write the text between i and end as an ASCII string; the delimiter is one that does not occur in
 * it.
 */
static void python_characters_put_string(const struct buf *in, size_t i, size_t end, char quote,
					 struct buf *out)
{
	char other = quote == '"' ? '\'' : '"';

	if (memchr(in->data + i, quote, end - i) && !memchr(in->data + i, other, end - i))
		quote = other;
	buf_add(out, &quote, 1);
	for (; i < end; i++) {
		if (in->data[i] == quote)
			buf_add(out, "\\", 1);
		buf_add(out, in->data + i, 1);
		if (in->data[i] == '\\' && i + 1 < end)
			buf_add(out, in->data + ++i, 1);
	}
	buf_add(out, &quote, 1);
}

/* One non-ASCII character in code. Returns its length, or that of the string. */
static size_t python_characters_repair_character(const struct buf *in, size_t i, struct buf *out)
{
	size_t close_length;
	uint32_t code;
	size_t n = utf8_decode((const unsigned char *)in->data + i, in->length - i, &code);
	char quote = python_characters_quote_of(code);
	size_t end = quote ? python_characters_find_close(in, i + n, quote, &close_length) : 0;

	if (end) {
		python_characters_put_string(in, i + n, end, quote, out);
		return end + close_length - i;
	}
	for (size_t k = 0; k < sizeof(substitutes) / sizeof(substitutes[0]); k++) {
		if (code < substitutes[k].first || code > substitutes[k].last)
			continue;
		buf_text(out, substitutes[k].text);
		return n;
	}
	buf_add(out, in->data + i, n);
	return n;
}

/*
 * For a string that an ASCII quote opened at i - 1: the position of its last typographic quote, if
 * nothing else closes it in its line; else 0.
 */
static size_t python_characters_find_missing_close(const struct buf *in, size_t i, char quote,
						   size_t *length)
{
	size_t found = 0;

	for (size_t n; i < in->length && in->data[i] != '\n'; i += n) {
		n = 1;
		if (in->data[i] == quote)
			return 0;
		if (in->data[i] == '\\' && i + 1 < in->length) {
			n = 2;
			continue;
		}
		if (python_characters_quote_at(in, i, &n) == quote) {
			found = i;
			*length = n;
		}
	}
	return found;
}

void python_repair_characters(const struct buf *in, struct buf *out)
{
	struct python_at at = {0};

	for (size_t i = 0, n; i < in->length; i += n) {
		bool code = python_in_code(&at);
		size_t close_length = 0;
		size_t end = 0;

		if (code && (unsigned char)in->data[i] >= 0x80) {
			n = python_characters_repair_character(in, i, out);
			continue;
		}
		n = python_step(&at, in->data + i, in->length - i);
		if (code && at.quote && !at.triple)
			end = python_characters_find_missing_close(in, i + 1, at.quote,
								   &close_length);
		if (end) {
			buf_add(out, in->data + i, end - i);
			buf_add(out, &at.quote, 1);
			n = end + close_length - i;
			at.quote = '\0';
			continue;
		}
		buf_add(out, in->data + i, n);
	}
}
