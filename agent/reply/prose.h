/*
 * prose - walk through a reply, skipping strings and comments of its code.
 *
 * Theory of operation. Words mark thinking, turn tokens and another speaker's turn, but code may
 * contain the same words: in a pattern, in a page of HTML, in a dialogue. So the blocks of code are
 * found first (fences.h), and the lexer skips strings and comments in a block: the caller sees only
 * what is outside them. An unterminated string does not count as a string, nor a comment in an
 * unclosed block as a comment: a model that was cut off there, or that thinks aloud, may have
 * written anything after it. JSON outside blocks is skipped as a whole: its strings are the code of
 * a call.
 *
 * After a tag that counts, restart: prose_again().
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_PROSE_H
#define GLOVEBOX_AGENT_PROSE_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/data/python_lexer.h"
#include "agent/reply/fences.h"

struct prose {
	const char *text;
	size_t length;
	size_t at;          /* the position; `length`: the end */
	struct fence fence; /* the current block, or else the next one */
	bool has_fence;
	size_t line; /* start of the line of its opening fence */
	struct fence_scan fences;
	struct python_at lexer; /* state in the block, at `lexed` */
	size_t lexed;
	unsigned objects; /* JSON objects tried */
};

/* Start at `at`, ignoring the text before it. */
void prose_start(struct prose *w, const char *text, size_t length, size_t at);

/* Go to the next character outside of strings and comments of blocks, and outside of JSON. */
void prose_step(struct prose *w);

/* Go to `at`, behind something that is skipped; the current block stays. */
void prose_skip(struct prose *w, size_t at);

/* Go to `at`, and restart there outside of every block. */
void prose_again(struct prose *w, size_t at);

/* Whether the position is between a block's fences. */
static inline bool prose_in_fence(const struct prose *w)
{
	return w->has_fence && w->at >= w->fence.start && w->at < w->fence.end;
}

#endif
