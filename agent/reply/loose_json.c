/*
 * loose_json - JSON as models write it, made strict.
 */
#include "agent/reply/loose_json.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { DEPTH_MAX = 32 };

/* The quote that opens a string at p: its length, 1 or 3; 0 if there is none. */
static size_t opening(const char *p, size_t left)
{
	if (!strchr("\"'`", *p) || !*p)
		return 0;
	if (*p != '`' && left >= 6 && p[1] == *p && p[2] == *p)
		return 3;
	return 1;
}

/*
 * A quote that ends a string has punctuation of JSON behind it; any other one belongs to the
 * code in it, and was not escaped.
 */
static bool ends(const char *p, size_t left, char quote, size_t n)
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

/* An escape at p, made one of JSON's. Returns how much of the text it takes. */
static size_t put_escape(const char *p, size_t left, struct buf *out)
{
	if (left > 1 && p[1] == '\n') /* a line that goes on */
		return 2;
	if (left > 1 && strchr("\"\\/bfnrtu", p[1]) && p[1]) {
		buf_add(out, p, 2);
		return 2;
	}
	if (left > 1 && strchr("'`", p[1]) && p[1]) { /* \' needs no escape */
		buf_add(out, p + 1, 1);
		return 2;
	}
	buf_text(out, "\\\\"); /* "\d" means a backslash and a d */
	return 1;
}

static void put_character(char c, struct buf *out)
{
	if (c == '"')
		buf_text(out, "\\\"");
	else if ((unsigned char)c < 0x20)
		buf_printf(out, "\\u%04x", (unsigned)c);
	else
		buf_add(out, &c, 1);
}

/* The string at p. Returns its length with its quotes; 0 if it has no end. */
static size_t put_string(const char *p, size_t length, struct buf *out)
{
	size_t n = opening(p, length);
	char quote = *p;

	buf_text(out, "\"");
	for (size_t i = n; i < length;) {
		if (ends(p + i, length - i, quote, n)) {
			buf_text(out, "\"");
			return i + n;
		}
		if (p[i] == '\\') {
			i += put_escape(p + i, length - i, out);
			continue;
		}
		put_character(p[i++], out);
	}
	return 0;
}

/* A word of Python's, as JSON has it. Returns its length. */
static size_t put_word(const char *p, size_t length, struct buf *out)
{
	static const struct {
		const char *python;
		const char *json;
	} words[] = {
		{"True",  "true" },
                {"False", "false"},
                {"None",  "null" }
        };
	size_t n = 0;

	while (n < length && (isalnum((unsigned char)p[n]) || p[n] == '_'))
		n++;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (n != strlen(words[i].python) || memcmp(p, words[i].python, n))
			continue;
		buf_text(out, words[i].json);
		return n;
	}
	buf_add(out, p, n);
	return n;
}

static bool is_trailing_comma(const char *p, size_t left)
{
	size_t i = 1;

	while (i < left && isspace((unsigned char)p[i]))
		i++;
	return *p == ',' && i < left && (p[i] == '}' || p[i] == ']');
}

/* What can stand outside strings. */
static bool is_json(const char *p, size_t left)
{
	if (*p == '`' && left >= 3 && p[1] == '`' && p[2] == '`') /* a fence */
		return false;
	return isalnum((unsigned char)*p) || isspace((unsigned char)*p) ||
	       (*p && strchr("{}[]:,+-._\"'`", *p));
}

/* Models forget the last brackets: what is open is closed. */
static size_t close_all(const char *closers, size_t depth, size_t used, struct buf *out)
{
	while (depth)
		buf_add(out, &closers[--depth], 1);
	return used;
}

static size_t put_one(const char *p, size_t left, struct buf *out)
{
	if (opening(p, left))
		return put_string(p, left, out);
	if (isalpha((unsigned char)*p))
		return put_word(p, left, out);
	if (!is_trailing_comma(p, left))
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
	while (i < length && is_json(text + i, length - i)) {
		size_t n;

		if (text[i] == '{' || text[i] == '[') {
			if (depth == DEPTH_MAX)
				return 0;
			closers[depth++] = text[i] == '{' ? '}' : ']';
		} else if ((text[i] == '}' || text[i] == ']') && closers[depth - 1] != text[i]) {
			break;
		}
		n = put_one(text + i, length - i, out);
		if (!n)
			return 0;
		i += n;
		if ((text[i - n] == '}' || text[i - n] == ']') && --depth == 0)
			return i;
	}
	return close_all(closers, depth, i, out);
}
