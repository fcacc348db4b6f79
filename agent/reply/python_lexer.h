/*
 * python_lexer - as much of Python's lexical rules as tells code from strings and comments.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_PYTHON_LEXER_H
#define GLOVEBOX_AGENT_PYTHON_LEXER_H

#include <stdbool.h>
#include <stddef.h>

/* Where one stands in a source; all zero is its beginning. */
struct python_at {
	char quote;     /* that opened the string one is in; 0: none */
	bool triple;    /* of that string */
	bool comment;   /* to the end of the line */
	bool continued; /* a backslash ended the line before */
	unsigned depth; /* of brackets */
};

/* Move over one lexical bit at p, of at least one byte; returns its length. */
size_t python_step(struct python_at *at, const char *p, size_t left);

/* In code: neither in a string nor in a comment. */
static inline bool python_in_code(const struct python_at *at)
{
	return !at->quote && !at->comment;
}

/* At the beginning of a line: a statement may begin here. */
static inline bool python_at_statement(const struct python_at *at)
{
	return python_in_code(at) && !at->depth && !at->continued;
}

#endif
