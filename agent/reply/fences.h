/*
 * fences - the fenced blocks of a text.
 *
 * Theory of operation. A fence is three or more backticks or tildes. The end of a block that may be
 * Python is found by the lexer: a fence inside a string is part of the code, any other one ends it,
 * wherever it is in the line. A fence with a language always begins a block, even if the one before
 * was never closed. An unclosed block extends to the end of the text, or to a line that can only be
 * a heading (<FINAL_ANSWER>, a result).
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_FENCES_H
#define GLOVEBOX_AGENT_FENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum fence_kind {
	FENCE_PYTHON, /* its language says so */
	FENCE_PLAIN,  /* without a language */
	FENCE_OTHER,  /* any other language */
};

struct fence {
	enum fence_kind kind;
	size_t outer;  /* where its opening fence begins */
	size_t start;  /* content, from here */
	size_t end;    /* to here */
	size_t after;  /* after its closing fence */
	size_t indent; /* of the opening fence, in columns: removed from every line */
	bool closed;
	bool sealed;  /* by a fence that begins no other block */
	bool in_line; /* it begins and ends in one line */
};

#define FENCES_MAX 128 /* more are ignored */

struct fences {
	struct fence items[FENCES_MAX];
	size_t count;
};

void fences_find(const char *text, size_t length, struct fences *out);

/* The same, one by one. */
struct fence_scan {
	const char *text;
	size_t length;
	size_t at;      /* everything before it has been read */
	size_t line;    /* where its line begins */
	unsigned marks; /* read so far: after some number there is no further block */
};

bool fences_next(struct fence_scan *s, struct fence *out);

/* Append a block's content, without the indentation of its fence. */
void fence_content(const char *text, const struct fence *f, struct buf *out);

#endif
