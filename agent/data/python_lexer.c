/*
 * python_lexer - enough of Python's lexical rules to tell code from strings and comments.
 */
#include "agent/data/python_lexer.h"

#include "agent/data/text.h"

static bool python_lexer_is_triple(const char *p, size_t left)
{
	return left >= 3 && p[1] == p[0] && p[2] == p[0];
}

static size_t python_lexer_step_in_string(struct python_at *at, const char *p, size_t left)
{
	if (*p == '\\' && left > 1) /* also in raw strings: r"\"" is one string */
		return 2;
	if (at->triple && *p == at->quote && python_lexer_is_triple(p, left)) {
		at->quote = '\0';
		at->triple = false;
		return 3;
	}
	if (!at->triple && (*p == at->quote || *p == '\n'))
		at->quote = '\0';
	return 1;
}

static size_t python_lexer_step_in_code(struct python_at *at, const char *p, size_t left)
{
	if (*p == '\\' && left > 1 && p[1] == '\n') {
		at->continued = true;
		return 2;
	}
	if (*p != ' ' && *p != '\t')
		at->continued = false;
	if (*p == '#')
		at->comment = true;
	if (*p == '(' || *p == '[' || *p == '{')
		at->depth++;
	if ((*p == ')' || *p == ']' || *p == '}') && at->depth)
		at->depth--;
	if (*p != '"' && *p != '\'')
		return 1;
	at->quote = *p;
	at->triple = python_lexer_is_triple(p, left);
	return at->triple ? 3 : 1;
}

size_t python_step(struct python_at *at, const char *p, size_t left)
{
	if (at->quote)
		return python_lexer_step_in_string(at, p, left);
	if (!at->comment)
		return python_lexer_step_in_code(at, p, left);
	if (*p == '\n')
		at->comment = false;
	return 1;
}

/* Names of Python behind a fence, in any case; a version may follow: "py3", "python3.11". */
static const char *const languages[] = {
	"python", "py",          "ipython",        "jupyter",   "jupyter-python",
	"pycon",  "python-repl", "python-console", "tool_code",
};

size_t python_language(const char *info, size_t length)
{
	size_t i = text_pass(info, 0, length, "{.");
	size_t n = 0;

	while (i + n < length &&
	       (isalnum((unsigned char)info[i + n]) || strchr("_-.", info[i + n])))
		n++;
	for (size_t k = 0; k < sizeof(languages) / sizeof(languages[0]); k++) {
		size_t name = strlen(languages[k]);

		if (text_begins(info + i, n, languages[k]) &&
		    text_pass(info, i + name, i + n, "0123456789.") == i + n)
			return i + n;
	}
	return 0;
}
