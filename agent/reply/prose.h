/*
 * prose - a reply, step by step, past the code in it.
 *
 * Theory of operation. Thinking, turn tokens and another speaker's turn are recognised by words
 * that may as well be in the code: in a pattern, in a page of HTML, in the text of a dialogue. So
 * the blocks of code are found first (fences.h), and in a block the lexer passes strings and
 * comments in one step: the caller sees only what is outside them. An unterminated string is not a
 * string, and a comment in an unclosed block is not a comment: a model that was cut off there, or
 * that thinks aloud, may have written anything after it. JSON outside blocks is passed as a whole:
 * its strings are the code of a call.
 *
 * After a tag that counts the text begins anew: prose_again().
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
	struct fence fence; /* the current one, or else the next one */
	bool has_fence;
	size_t line; /* where the line of its opening fence begins */
	struct fence_scan fences;
	struct python_at lexer; /* in the fence, at `lexed` */
	size_t lexed;
	unsigned objects; /* of JSON that were tried */
};

/* Begin at `at`, as if nothing came before it. */
void prose_start(struct prose *w, const char *text, size_t length, size_t at);

/* Go to the next character that is not in a string or a comment of a block, nor in JSON. */
void prose_step(struct prose *w);

/* Go to `at`, after something that is left out; the current block stays. */
void prose_skip(struct prose *w, size_t at);

/* Go to `at`, where the text begins anew: outside every block. */
void prose_again(struct prose *w, size_t at);

/* Between a block's fences. */
static inline bool prose_in_fence(const struct prose *w)
{
	return w->has_fence && w->at >= w->fence.start && w->at < w->fence.end;
}

#endif
