/*
 * highlight - colour Python source line by line.
 */
#include "agent/show/highlight.h"

#include "agent/data/text.h"
#include "base/escape.h"

/* The sixteen basic colours: every terminal has them, and its user may have chosen them. */
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

static void highlight_paint(struct buf *out, const char *colour, const char *text, size_t length)
{
	if (!length)
		return;
	if (colour)
		buf_printf(out, "\033[%sm", colour);
	escape_text(text, length, out);
	if (colour)
		buf_text(out, "\033[0m");
}

static bool highlight_is_prefix(const char *word, size_t length)
{
	return length <= 2 && strspn(word, "rRbBfFuU") >= length;
}

/* Return the end of the string or comment that is open at `at`, or of the line. */
static size_t highlight_literal_end(struct python_at *state, const char *line, size_t length,
				    size_t at)
{
	while (at < length && !python_in_code(state))
		at += python_step(state, line + at, length - at);
	return at;
}

static size_t highlight_number_end(const char *line, size_t length, size_t at)
{
	while (at < length &&
	       (text_is_word(line[at]) || line[at] == '.' ||
		((line[at] == '+' || line[at] == '-') && strchr("eE", line[at - 1]))))
		at++;
	return at;
}

static size_t highlight_decorator_end(const char *line, size_t length, size_t at)
{
	while (at < length && (text_is_word(line[at]) || line[at] == '.' || line[at] == '@'))
		at++;
	return at;
}

/* Whether this word begins a definition, so that the next word is a new name. */
static bool highlight_defines(const char *word, size_t length)
{
	return (length == 3 && !memcmp(word, "def", 3)) ||
	       (length == 5 && !memcmp(word, "class", 5));
}

static const char *highlight_word_colour(const char *word, size_t length, bool is_defined,
					 bool is_member)
{
	if (is_defined)
		return COLOUR_NAME;
	if (is_member)
		return NULL;
	if (text_is_listed(keywords, word, length))
		return COLOUR_KEYWORD;
	return text_is_listed(builtins, word, length) ? COLOUR_BUILTIN : NULL;
}

/* Read one token of code at `at`. Returns its end, and its colour. */
static size_t highlight_token(struct python_at *state, const char *line, size_t length, size_t at,
			      const char **colour)
{
	char c = line[at];
	size_t end = text_pass_word(line, at, length);
	bool string = end < length && strchr("\"'", line[end]) &&
		      highlight_is_prefix(line + at, end - at);

	*colour = NULL;
	if (string || c == '#') {
		*colour = string ? COLOUR_STRING : COLOUR_COMMENT;
		end += python_step(state, line + end, length - end);
		return highlight_literal_end(state, line, length, end);
	}
	if (isdigit((unsigned char)c) ||
	    (c == '.' && at + 1 < length && isdigit((unsigned char)line[at + 1]))) {
		*colour = COLOUR_NUMBER;
		return highlight_number_end(line, length, at + 1);
	}
	if (c == '@' && strspn(line, " \t") >= at) {
		*colour = COLOUR_DECORATOR;
		return highlight_decorator_end(line, length, at);
	}
	return end > at ? end : at + 1;
}

void highlight_line(struct python_at *state, const char *line, size_t length, struct buf *out)
{
	bool is_defined = false;
	size_t at;

	at = highlight_literal_end(state, line, length, 0);
	highlight_paint(out, COLOUR_STRING, line, at);
	while (at < length) {
		const char *colour;
		size_t end = highlight_token(state, line, length, at, &colour);

		if (!colour && text_is_word(line[at])) {
			bool is_member = at > 0 && line[at - 1] == '.';

			colour = highlight_word_colour(line + at, end - at, is_defined, is_member);
			is_defined = highlight_defines(line + at, end - at);
		} else if (line[at] != ' ') {
			is_defined = false;
		}
		highlight_paint(out, colour, line + at, end - at);
		at = end;
	}
	python_step(state, "\n", 1);
}
