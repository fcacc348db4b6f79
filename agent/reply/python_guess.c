/*
 * python_guess - guess whether a text without a language is Python.
 */
#include "agent/reply/python_guess.h"

#include "agent/data/python_lexer.h"
#include "agent/data/text.h"

/* With a blank on each side. Many of these words begin sentences, too. */
static const char statements[] =
	" import from pass break return continue del raise assert global await yield ";
static const char blocks[] =
	" else try finally if elif for while with except def class match async ";

static bool python_guess_has(const char *line, size_t length, const char *word)
{
	return memmem(line, length, word, strlen(word)) != NULL;
}

static bool python_guess_is_keyword_line(const char *line, size_t length)
{
	size_t n = text_pass_word(line, 0, length);

	if (strchr("#@", *line) || text_begins(line, length, ">>>"))
		return true;
	if (line[length - 1] == '.')
		return false;
	return text_is_listed(statements, line, n) ||
	       (text_is_listed(blocks, line, n) && python_guess_has(line, length, ":"));
}

static size_t python_guess_skip_names(const char *line, size_t length)
{
	size_t i = 0;

	while (i < length && (text_is_word(line[i]) || line[i] == '.'))
		i++;
	return i;
}

/* Whether a line is an expression or assignment: a(b), a.b[0], a = b, a, b = c; no second word. */
static bool python_guess_is_expression_line(const char *line, size_t length)
{
	size_t i = python_guess_skip_names(line, length);

	if (i == 0 || i == length || isdigit((unsigned char)*line) || line[i - 1] == '.')
		return false;
	if (line[i] == '(')
		return line[length - 1] != '.' && line[length - 1] != ':';
	if (line[i] == '[')
		return python_guess_has(line, length, "=") || line[length - 1] == ']';
	while (i < length && line[i] == ',') {
		i += i + 1 < length && line[i + 1] == ' ' ? 2 : 1;
		i += python_guess_skip_names(line + i, length - i);
	}
	while (i < length && line[i] == ' ')
		i++;
	if (i + 1 >= length)
		return false;
	if (strchr(":+-*/%|&", line[i])) /* a += 1, a: int = 1 */
		return line[i] == ':' ? python_guess_has(line, length, " = ") : line[i + 1] == '=';
	return line[i] == '=';
}

bool python_guess_line(const char *line, size_t length)
{
	size_t start = 0;

	text_trim(line, &start, &length);
	line += start;
	length -= start;
	return length && (python_guess_is_keyword_line(line, length) ||
			  python_guess_is_expression_line(line, length));
}

bool python_guess_block(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i = text_next_line(text, i, length)) {
		size_t start = i;
		size_t end = text_line_end(text, i, length);

		text_trim(text, &start, &end);
		if (start < end && !strchr("#!%", text[start]))
			return python_guess_line(text + start, end - start) ||
			       strchr("\"'", text[start]);
	}
	return false;
}

/* Lines that begin inside a statement are not judged: they belong to it. */
bool python_guess_reply(const char *text, size_t length)
{
	struct python_at at = {0};
	bool does_something = false;

	for (size_t i = 0; i < length;) {
		size_t next = text_next_line(text, i, length);
		size_t start = i;
		size_t end = next;

		text_trim(text, &start, &end);
		if (start < end && python_at_statement(&at)) {
			if (!python_guess_line(text + start, end - start) &&
			    !(start > i && does_something))
				return false;
			does_something |= text[start] != '#';
		}
		while (i < next)
			i += python_step(&at, text + i, length - i);
	}
	return does_something && !at.quote && !at.depth;
}
