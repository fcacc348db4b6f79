/*
 * highlight - Python source in colours, line by line.
 */
#include "agent/show/highlight.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"

/* Of the sixteen colours that every terminal has and its user may have chosen. */
#define COLOUR_KEYWORD   "35"
#define COLOUR_BUILTIN   "36"
#define COLOUR_NAME      "1;34"
#define COLOUR_STRING    "32"
#define COLOUR_NUMBER    "33"
#define COLOUR_COMMENT   "2"
#define COLOUR_DECORATOR "33"

static const char keywords[] =
	" False None True and as assert async await break case class continue def del elif else "
	"except finally for from global if import in is lambda match nonlocal not or pass raise "
	"return try while with yield ";
static const char builtins[] =
	" abs all any bool bytes dict dir divmod enumerate filter float format frozenset getattr "
	"hasattr int isinstance iter len list map max min next object open ord pow print range "
	"repr reversed round self set setattr sorted str sum super tuple type zip Exception "
	"ValueError TypeError KeyError IndexError RuntimeError ";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What a name may hold; every byte beyond ASCII counts. */
static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static void paint(struct buf *out, const char *colour, const char *text, size_t length)
{
	if (!length)
		return;
	if (colour)
		buf_printf(out, "\033[%sm", colour);
	escape_text(text, length, out);
	if (colour)
		buf_text(out, "\033[0m");
}

static bool is_listed(const char *list, const char *word, size_t length)
{
	char spaced[16] = " ";

	if (length > sizeof(spaced) - 3)
		return false;
	memcpy(spaced + 1, word, length);
	memcpy(spaced + 1 + length, " ", 2);
	return strstr(list, spaced) != NULL;
}

static bool is_prefix(const char *word, size_t length)
{
	return length <= 2 && strspn(word, "rRbBfFuU") >= length;
}

static bool is_triple(const char *line, size_t length, size_t at)
{
	return at + 2 < length && line[at + 1] == line[at] && line[at + 2] == line[at];
}

/* Where a string ends that is open at `at`. *quote becomes 0 if it does so in this line. */
static size_t string_end(const char *line, size_t length, size_t at, bool triple, char *quote)
{
	for (; at < length; at++) {
		if (line[at] == '\\') {
			at++;
			continue;
		}
		if (line[at] != *quote || (triple && !is_triple(line, length, at)))
			continue;
		*quote = '\0';
		return at + (triple ? 3 : 1);
	}
	return length;
}

/* A string literal from its quote on, which stands at `at`. Returns where it ends. */
static size_t string(struct highlight *h, const char *line, size_t length, size_t at)
{
	bool triple = is_triple(line, length, at);
	char quote = line[at];
	size_t end = string_end(line, length, at + (triple ? 3 : 1), triple, &quote);

	if (triple)
		h->quote = quote;
	return end;
}

static size_t word_end(const char *line, size_t length, size_t at)
{
	while (at < length && is_word(line[at]))
		at++;
	return at;
}

static size_t number_end(const char *line, size_t length, size_t at)
{
	while (at < length &&
	       (is_word(line[at]) || line[at] == '.' ||
		((line[at] == '+' || line[at] == '-') && strchr("eE", line[at - 1]))))
		at++;
	return at;
}

static size_t decorator_end(const char *line, size_t length, size_t at)
{
	while (at < length && (is_word(line[at]) || line[at] == '.' || line[at] == '@'))
		at++;
	return at;
}

/* Of the word before this one, which names what is defined. */
static bool defines(const char *word, size_t length)
{
	return (length == 3 && !memcmp(word, "def", 3)) ||
	       (length == 5 && !memcmp(word, "class", 5));
}

static const char *word_colour(const char *word, size_t length, bool is_defined, bool is_member)
{
	if (is_defined)
		return COLOUR_NAME;
	if (is_member)
		return NULL;
	if (is_listed(keywords, word, length))
		return COLOUR_KEYWORD;
	return is_listed(builtins, word, length) ? COLOUR_BUILTIN : NULL;
}

/* One token at `at`. Returns where it ends, and its colour. */
static size_t token(struct highlight *h, const char *line, size_t length, size_t at,
		    const char **colour)
{
	char c = line[at];
	size_t end = word_end(line, length, at);

	*colour = NULL;
	if (c == '#') {
		*colour = COLOUR_COMMENT;
		return length;
	}
	if (is_quote(c) ||
	    (end < length && is_quote(line[end]) && is_prefix(line + at, end - at))) {
		*colour = COLOUR_STRING;
		return string(h, line, length, is_quote(c) ? at : end);
	}
	if (is_digit(c) || (c == '.' && at + 1 < length && is_digit(line[at + 1]))) {
		*colour = COLOUR_NUMBER;
		return number_end(line, length, at + 1);
	}
	if (c == '@' && strspn(line, " \t") >= at) {
		*colour = COLOUR_DECORATOR;
		return decorator_end(line, length, at);
	}
	return end > at ? end : at + 1;
}

void highlight_line(struct highlight *h, const char *line, size_t length, struct buf *out)
{
	bool is_defined = false;
	size_t at = 0;

	if (h->quote) {
		at = string_end(line, length, 0, true, &h->quote);
		at = at < length ? at : length;
		paint(out, COLOUR_STRING, line, at);
	}
	while (at < length) {
		const char *colour;
		size_t end = token(h, line, length, at, &colour);

		if (!colour && is_word(line[at])) {
			bool is_member = at > 0 && line[at - 1] == '.';

			colour = word_colour(line + at, end - at, is_defined, is_member);
			is_defined = defines(line + at, end - at);
		} else if (line[at] != ' ') {
			is_defined = false;
		}
		paint(out, colour, line + at, end - at);
		at = end;
	}
}
