/*
 * python_guess - does a text without a language look like Python?
 */
#include "agent/reply/python_guess.h"

#include <ctype.h>
#include <string.h>

#include "agent/data/python_lexer.h"

/* What must be true of the rest of the line, because many of these words begin sentences, too. */
enum rule { ANYTHING, NO_FULL_STOP, COLON, IMPORT };

static const struct keyword {
	const char *word;
	enum rule rule;
} keywords[] = {
	{"#",        ANYTHING    },
	{"@",        ANYTHING    },
	{">>>",      ANYTHING    },
	{"else:",    ANYTHING    },
	{"try:",     ANYTHING    },
	{"finally:", ANYTHING    },
	{"import",   NO_FULL_STOP},
	{"from",     IMPORT      },
	{"pass",     NO_FULL_STOP},
	{"break",    NO_FULL_STOP},
	{"return",   NO_FULL_STOP},
	{"continue", NO_FULL_STOP},
	{"del",      NO_FULL_STOP},
	{"raise",    NO_FULL_STOP},
	{"assert",   NO_FULL_STOP},
	{"global",   NO_FULL_STOP},
	{"await",    NO_FULL_STOP},
	{"yield",    NO_FULL_STOP},
	{"if",       COLON       },
	{"elif",     COLON       },
	{"for",      COLON       },
	{"while",    COLON       },
	{"with",     COLON       },
	{"except",   COLON       },
	{"def",      COLON       },
	{"class",    COLON       },
	{"match",    COLON       },
	{"async",    COLON       },
};

static bool python_guess_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool python_guess_has(const char *line, size_t length, const char *word)
{
	return memmem(line, length, word, strlen(word)) != NULL;
}

static bool python_guess_follows(enum rule rule, const char *line, size_t length)
{
	switch (rule) {
	case ANYTHING:
		return true;
	case NO_FULL_STOP:
		return line[length - 1] != '.';
	case COLON:
		return python_guess_has(line, length, ":") && line[length - 1] != '.';
	case IMPORT:
		return python_guess_has(line, length, " import ");
	}
	return false;
}

static bool python_guess_is_keyword_line(const char *line, size_t length)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		const char *word = keywords[i].word;
		size_t n = strlen(word);

		if (length < n || memcmp(line, word, n))
			continue;
		if (length == n || !python_guess_is_name(word[n - 1]) ||
		    !python_guess_is_name(line[n]))
			return python_guess_follows(keywords[i].rule, line, length);
	}
	return false;
}

static size_t python_guess_skip_names(const char *line, size_t length)
{
	size_t i = 0;

	while (i < length && (python_guess_is_name(line[i]) || line[i] == '.'))
		i++;
	return i;
}

/* a(b), a.b[0], a = b, a, b = c: a name that is not followed by a second word. */
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

static void python_guess_trim(const char **line, size_t *length)
{
	while (*length && isspace((unsigned char)**line)) {
		++*line;
		--*length;
	}
	while (*length && isspace((unsigned char)(*line)[*length - 1]))
		--*length;
}

bool python_guess_line(const char *line, size_t length)
{
	python_guess_trim(&line, &length);
	return length && (python_guess_is_keyword_line(line, length) ||
			  python_guess_is_expression_line(line, length));
}

static size_t python_guess_line_length(const char *p, size_t left)
{
	const char *end = memchr(p, '\n', left);

	return end ? (size_t)(end - p) : left;
}

bool python_guess_block(const char *text, size_t length)
{
	for (size_t i = 0; i < length;) {
		size_t n = python_guess_line_length(text + i, length - i);
		const char *line = text + i;
		size_t left = n;

		python_guess_trim(&line, &left);
		i += n + 1;
		if (!left || *line == '#' || *line == '!' || *line == '%')
			continue;
		return python_guess_line(line, left) || *line == '"' || *line == '\'';
	}
	return false;
}

/* A line that begins inside a statement is not judged: it belongs to that statement. */
bool python_guess_reply(const char *text, size_t length)
{
	struct python_at at = {0};
	bool does_something = false;

	for (size_t i = 0; i < length;) {
		size_t end = i + python_guess_line_length(text + i, length - i);
		const char *line = text + i;
		size_t left = end - i;
		bool indented = left && (*line == ' ' || *line == '\t');

		python_guess_trim(&line, &left);
		if (left && python_at_statement(&at)) {
			if (!python_guess_line(line, left) && !(indented && does_something))
				return false;
			does_something |= *line != '#';
		}
		while (i <= end && i < length)
			i += python_step(&at, text + i, length - i);
	}
	return does_something && !at.quote && !at.depth;
}
