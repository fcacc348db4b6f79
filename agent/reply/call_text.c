/*
 * call_text - calls that are not JSON: what follows the tool's name.
 */
#include "agent/reply/call_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/data/model.h"
#include "agent/data/python_lexer.h"
#include "agent/reply/begins.h"
#include "base/buf.h"
#include "base/own.h"

enum { BETWEEN_BYTES = 120 }; /* most bytes between the name and its arguments */

static size_t call_text_word_length(const char *p, size_t left)
{
	size_t n = 0;

	while (n < left && (isalnum((unsigned char)p[n]) || p[n] == '_'))
		n++;
	return n;
}

/* Words that may stand between the name and its arguments. */
static bool call_text_is_between(const char *word, size_t length)
{
	static const char *const words[] = {"json",  "arguments", "parameters", "args",
					    "input", "params",    "python"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (length == strlen(words[i]) && !strncasecmp(word, words[i], length))
			return true;
	return false;
}

enum call_text call_text_form(const char *text, size_t after, size_t length, size_t *at)
{
	size_t limit = length - after < BETWEEN_BYTES ? length : after + BETWEEN_BYTES;
	size_t i = after;

	if (begins(text + i, length - i, ".call"))
		i += 5;
	if (i < length && text[i] == '(') {
		*at = i + 1;
		return CALL_TEXT_LITERAL;
	}
	while (i < limit) {
		size_t n = call_text_word_length(text + i, limit - i);
		const char *close;

		*at = i;
		if (text[i] == '{')
			return CALL_TEXT_OBJECT;
		if (begins(text + i, length - i, "<parameter") ||
		    begins(text + i, length - i, "<code>"))
			return CALL_TEXT_PARAMETERS;
		if (n && !call_text_is_between(text + i, n))
			return CALL_TEXT_NONE;
		close = text[i] == '<' ? memchr(text + i, '>', limit - i) : NULL;
		if (close)
			n = (size_t)(close - text) - i + 1;
		else if (!n && strchr(" \t\n`:>*=\"',[]", text[i]))
			n = 1;
		if (!n)
			return CALL_TEXT_NONE;
		i += n;
	}
	return CALL_TEXT_NONE;
}

/* <parameter=code>...</parameter>, <parameter name="code">...</parameter>, <code>...</code> */
char *call_text_parameter(const char *text, size_t at, size_t length, size_t *end)
{
	bool parameter = begins(text + at, length - at, "<parameter");
	const char *closing = parameter ? "</parameter>" : "</code>";
	const char *open = memchr(text + at, '>', length - at);
	const char *start = open ? open + 1 : NULL;
	const char *stop;

	*end = at + 1;
	if (!start)
		return NULL;
	stop = memmem(start, length - (size_t)(start - text), closing, strlen(closing));
	if (!stop)
		return NULL;
	*end = (size_t)(stop - text) + strlen(closing);
	if (parameter && memmem(text + at, (size_t)(start - text) - at, "description", 11)) {
		size_t next = *end + strspn(text + *end, " \t\n");

		return begins(text + next, length - next, "<parameter")
			       ? call_text_parameter(text, next, length, end)
			       : NULL;
	}
	return own_strndup(start, (size_t)(stop - start));
}

/* The value of a Python string without its quotes. */
static char *call_text_unescape(const char *p, size_t length, bool raw)
{
	static const char letters[] = "ntr\"'\\";
	static const char meanings[] = "\n\t\r\"'\\";
	struct buf out = {0};

	for (size_t i = 0; i < length; i++) {
		const char *letter = i + 1 < length ? strchr(letters, p[i + 1]) : NULL;

		if (raw || p[i] != '\\')
			buf_add(&out, p + i, 1);
		else if (letter && *letter)
			buf_add(&out, &meanings[letter - letters], 1);
		else if (i + 1 < length && p[i + 1] != '\n') /* "\d" means both characters */
			buf_add(&out, p + i, 2);
		i += !raw && p[i] == '\\';
	}
	return buf_take(&out);
}

/* Where the string that is the first argument begins; 0 if there is none. */
static size_t call_text_find_literal(const char *text, size_t at, size_t length, bool *raw)
{
	size_t i = at + strspn(text + at, " \t\n");
	size_t n = call_text_word_length(text + i, length - i);
	size_t equals = i + n + strspn(text + i + n, " ");

	if (n && equals < length && text[equals] == '=')
		i = equals + 1 + strspn(text + equals + 1, " \t\n");
	*raw = i < length && (text[i] == 'r' || text[i] == 'R');
	i += *raw;
	return i < length && (text[i] == '"' || text[i] == '\'') ? i : 0;
}

char *call_text_literal(const char *text, size_t at, size_t length, size_t *end)
{
	struct python_at in = {0};
	bool raw;
	size_t i = call_text_find_literal(text, at, length, &raw);
	size_t start;
	size_t last;

	if (!i)
		return NULL;
	i += python_step(&in, text + i, length - i);
	start = last = i;
	while (i < length && in.quote) {
		last = i;
		i += python_step(&in, text + i, length - i);
	}
	if (in.quote || text[last] == '\n') /* it has no end, or not in its line */
		return NULL;
	*end = i;
	return call_text_unescape(text + start, last - start, raw);
}
