/*
 * fences - find the fenced blocks of a text.
 *
 * Theory of operation. A fence is three or more backticks or tildes. The lexer finds the end of a
 * block that may be Python: a fence inside a string is code, any other fence ends the block,
 * wherever it is in its line. A fence with a language always begins a block, even if the one before
 * is unclosed. An unclosed block extends to the end of the text, or to a line that can only be a
 * heading (<FINAL_ANSWER>, a result).
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_FENCES_H
#define GLOVEBOX_AGENT_FENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum fence_kind {
	FENCE_PYTHON, /* by its language */
	FENCE_PLAIN,  /* without a language */
	FENCE_OTHER,  /* any other language */
};

struct fence {
	enum fence_kind kind;
	size_t outer;  /* start of its opening fence */
	size_t start;  /* content, from here */
	size_t end;    /* to here */
	size_t after;  /* end of its closing fence */
	size_t indent; /* of the opening fence, in columns: removed from every line */
	bool closed;
	bool sealed;  /* closed by a fence that begins no other block */
	bool in_line; /* on one line */
};

#define FENCES_MAX 128 /* further ones are ignored */

struct fences {
	struct fence items[FENCES_MAX];
	size_t count;
};

void fences_find(const char *text, size_t length, struct fences *out);

/* State of an iteration over blocks. */
struct fence_scan {
	const char *text;
	size_t length;
	size_t at;      /* everything before it is read */
	size_t line;    /* start of its line */
	unsigned marks; /* fences read; reading stops at a maximum */
};

bool fences_next(struct fence_scan *s, struct fence *out);

/* Append a block's content, without its fence's indentation. */
void fence_content(const char *text, const struct fence *f, struct buf *out);

#endif
