/*
 * loose_json - turn JSON as models write it into strict JSON.
 */
#include "agent/reply/loose_json.h"

#include "agent/data/text.h"

enum { DEPTH_MAX = 32 };

/* Return the length of the quote that opens a string at p, 1 or 3; 0: none. */
static size_t loose_json_opening(const char *p, size_t left)
{
	if (!strchr("\"'`", *p) || !*p)
		return 0;
	if (*p != '`' && left >= 6 && p[1] == *p && p[2] == *p)
		return 3;
	return 1;
}

/*
 * Whether a quote ends its string: then JSON's punctuation follows. Any other quote belongs to the
 * code in the string, and was not escaped.
 */
static bool loose_json_ends(const char *p, size_t left, char quote, size_t n)
{
	size_t i = n;

	if (left < n || *p != quote)
		return false;
	if (n == 3)
		return p[1] == quote && p[2] == quote;
	while (i < left && i < 64 && isspace((unsigned char)p[i]))
		i++;
	return i == left || strchr(",:}]", p[i]);
}

/* Translate an escape at p to JSON. Returns its length. */
static size_t loose_json_put_escape(const char *p, size_t left, struct buf *out)
{
	if (left > 1 && p[1] == '\n') /* a line continuation */
		return 2;
	if (left > 1 && strchr("\"\\/bfnrtu", p[1]) && p[1]) {
		buf_add(out, p, 2);
		return 2;
	}
	if (left > 1 && strchr("'`", p[1]) && p[1]) { /* \' needs no escape */
		buf_add(out, p + 1, 1);
		return 2;
	}
	buf_text(out, "\\\\"); /* "\d" stands for a backslash and a d */
	return 1;
}

static void loose_json_put_character(char c, struct buf *out)
{
	if (c == '"')
		buf_text(out, "\\\"");
	else if ((unsigned char)c < 0x20)
		buf_printf(out, "\\u%04x", (unsigned)c);
	else
		buf_add(out, &c, 1);
}

/* Translate the string at p. Returns its length with quotes; 0: unterminated. */
static size_t loose_json_put_string(const char *p, size_t length, struct buf *out)
{
	size_t n = loose_json_opening(p, length);
	char quote = *p;

	buf_text(out, "\"");
	for (size_t i = n; i < length;) {
		if (loose_json_ends(p + i, length - i, quote, n)) {
			buf_text(out, "\"");
			return i + n;
		}
		if (p[i] == '\\') {
			i += loose_json_put_escape(p + i, length - i, out);
			continue;
		}
		loose_json_put_character(p[i++], out);
	}
	return 0;
}

/* Translate a word of Python. Returns its length. */
static size_t loose_json_put_word(const char *p, size_t length, struct buf *out)
{
	size_t n = text_pass_word(p, 0, length);

	if (text_is_listed(" True False ", p, n))
		buf_text(out, *p == 'T' ? "true" : "false");
	else if (text_is_listed(" None ", p, n))
		buf_text(out, "null");
	else
		buf_add(out, p, n);
	return n;
}

static bool loose_json_is_trailing_comma(const char *p, size_t left)
{
	size_t i = 1;

	while (i < left && isspace((unsigned char)p[i]))
		i++;
	return *p == ',' && i < left && (p[i] == '}' || p[i] == ']');
}

/* Whether this byte may occur outside strings. */
static bool loose_json_is_json(const char *p, size_t left)
{
	if (*p == '`' && left >= 3 && p[1] == '`' && p[2] == '`') /* a fence */
		return false;
	return isalnum((unsigned char)*p) || isspace((unsigned char)*p) ||
	       (*p && strchr("{}[]:,+-._\"'`", *p));
}

/* Close what is open: models forget the last brackets. */
static size_t loose_json_close_all(const char *closers, size_t depth, size_t used, struct buf *out)
{
	while (depth)
		buf_add(out, &closers[--depth], 1);
	return used;
}

static size_t loose_json_put_one(const char *p, size_t left, struct buf *out)
{
	if (loose_json_opening(p, left))
		return loose_json_put_string(p, left, out);
	if (isalpha((unsigned char)*p))
		return loose_json_put_word(p, left, out);
	if (!loose_json_is_trailing_comma(p, left))
		buf_add(out, p, 1);
	return 1;
}

size_t loose_json(const char *text, size_t length, struct buf *out)
{
	char closers[DEPTH_MAX];
	size_t depth = 0;
	size_t i = 0;

	if (length == 0 || (*text != '{' && *text != '['))
		return 0;
	while (i < length && loose_json_is_json(text + i, length - i)) {
		size_t n;

		if (text[i] == '{' || text[i] == '[') {
			if (depth == DEPTH_MAX)
				return 0;
			closers[depth++] = text[i] == '{' ? '}' : ']';
		} else if ((text[i] == '}' || text[i] == ']') && closers[depth - 1] != text[i]) {
			break;
		}
		n = loose_json_put_one(text + i, length - i, out);
		if (!n)
			return 0;
		i += n;
		if ((text[i - n] == '}' || text[i - n] == ']') && --depth == 0)
			return i;
	}
	return loose_json_close_all(closers, depth, i, out);
}
