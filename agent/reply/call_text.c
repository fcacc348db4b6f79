/*
 * call_text - read calls that are not JSON, from the tool's name on.
 */
#include "agent/reply/call_text.h"

#include "agent/data/python_lexer.h"
#include "agent/data/text.h"
#include "base/buf.h"
#include "base/own.h"

enum { BETWEEN_BYTES = 120 }; /* longest text between name and arguments */

/* Words allowed between name and arguments. */
static const char between[] = " json arguments parameters args ARGS ";

enum call_text call_text_form(const char *text, size_t after, size_t length, size_t *at)
{
	size_t limit = length - after < BETWEEN_BYTES ? length : after + BETWEEN_BYTES;
	size_t i = after;

	if (text_begins(text + i, length - i, ".call"))
		i += 5;
	if (i < length && text[i] == '(') {
		*at = i + 1;
		return CALL_TEXT_LITERAL;
	}
	while (i < limit) {
		size_t n = text_pass_word(text, i, limit) - i;

		*at = i;
		if (text[i] == '{')
			return CALL_TEXT_OBJECT;
		if (text_begins(text + i, length - i, "<parameter") ||
		    text_begins(text + i, length - i, "<code>"))
			return CALL_TEXT_PARAMETERS;
		if (n && !text_is_listed(between, text + i, n))
			return CALL_TEXT_NONE;
		if (!n && !strchr(" \t\n`:>*=\"',[]", text[i]))
			return CALL_TEXT_NONE;
		i += n ? n : 1;
	}
	return CALL_TEXT_NONE;
}

/* Read <parameter=code>, <parameter name="code"> or <code>, with its closing tag. */
char *call_text_parameter(const char *text, size_t at, size_t length, size_t *end)
{
	bool parameter = text_begins(text + at, length - at, "<parameter");
	const char *closing = parameter ? "</parameter>" : "</code>";
	const char *start = memchr(text + at, '>', length - at);
	const char *stop =
		start ? memmem(start, length - (size_t)(start - text), closing, strlen(closing))
		      : NULL;

	*end = at + 1;
	if (!stop)
		return NULL;
	start++;
	*end = (size_t)(stop - text) + strlen(closing);
	if (parameter && memmem(text + at, (size_t)(start - text) - at, "description", 11)) {
		size_t next = text_pass(text, *end, length, " \t\n");

		return text_begins(text + next, length - next, "<parameter")
			       ? call_text_parameter(text, next, length, end)
			       : NULL;
	}
	return own_strndup(start, (size_t)(stop - start));
}

char *call_text_unescape(const char *p, size_t length)
{
	static const char letters[] = "ntr\"'\\";
	static const char meanings[] = "\n\t\r\"'\\";
	struct buf out = {0};

	for (size_t i = 0; i < length; i++) {
		const char *letter = i + 1 < length ? strchr(letters, p[i + 1]) : NULL;

		if (p[i] != '\\')
			buf_add(&out, p + i, 1);
		else if (letter && *letter)
			buf_add(&out, &meanings[letter - letters], 1);
		else if (i + 1 < length && p[i + 1] != '\n') /* "\d" stands for both characters */
			buf_add(&out, p + i, 2);
		i += p[i] == '\\';
	}
	return buf_take(&out);
}

/* Return the start of the string that is the first argument; 0: none. */
static size_t call_text_find_literal(const char *text, size_t at, size_t length)
{
	size_t i = text_pass(text, at, length, " \t\n");
	size_t name = text_pass_word(text, i, length);
	size_t equals = text_pass(text, name, length, " ");

	if (name > i && equals < length && text[equals] == '=')
		i = text_pass(text, equals + 1, length, " \t\n");
	return i < length && (text[i] == '"' || text[i] == '\'') ? i : 0;
}

char *call_text_literal(const char *text, size_t at, size_t length, size_t *end)
{
	struct python_at in = {0};
	size_t i = call_text_find_literal(text, at, length);
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
	if (in.quote || text[last] == '\n') /* unterminated, or not on its line */
		return NULL;
	*end = i;
	return call_text_unescape(text + start, last - start);
}
