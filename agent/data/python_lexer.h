/*
 * python_lexer - enough of Python's lexical rules to tell code from strings and comments.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_PYTHON_LEXER_H
#define GLOVEBOX_AGENT_PYTHON_LEXER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A line between two blocks of code: the session repairs each on its own (rootfs/guest/dialect.py).
 */
#define PYTHON_NEXT_BLOCK "# %% next block\n"

/* A position in a source; all zero is its beginning. */
struct python_at {
	char quote;     /* of the current string; 0: in none */
	bool triple;    /* a triple-quoted string */
	bool comment;   /* up to the end of the line */
	bool continued; /* a backslash ended the previous line */
	unsigned depth; /* of brackets */
};

/* Advance over one lexical element at p, of at least one byte; returns its length. */
size_t python_step(struct python_at *at, const char *p, size_t left);

/* Whether the position is outside of strings and comments. */
static inline bool python_in_code(const struct python_at *at)
{
	return !at->quote && !at->comment;
}

/* Whether the position is at the start of a line where a statement may begin. */
static inline bool python_at_statement(const struct python_at *at)
{
	return python_in_code(at) && !at->depth && !at->continued;
}

/*
 * python_language - does the word behind a fence mean Python?
 *
 * Reads the first word of an info string: "python title=x", "{.python}", "Python3.11:main.py".
 * Returns the end of that word if it is a name of Python; else 0.
 */
size_t python_language(const char *info, size_t length);

#endif
