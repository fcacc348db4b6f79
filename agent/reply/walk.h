/*
 * walk - over a reply, past what is code in it.
 *
 * Theory of operation. Thinking, turn tokens and another's turn are told by words that may as
 * well stand in the code: in a pattern, in a page of HTML, in the text of a dialogue. So the
 * blocks of code are found first (fences.h), and in a block the lexer passes strings and
 * comments in one step: whoever walks sees only what is outside of them. A string that
 * nothing ends is none, and so is a comment in a block that nothing closes: a model that was
 * cut off there, or that thinks aloud, may have written anything behind it. JSON outside of
 * blocks is passed as a whole: its strings are the code of a call.
 *
 * Where a tag counts, the text begins anew behind it: walk_again().
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_WALK_H
#define GLOVEBOX_AGENT_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/reply/fences.h"
#include "agent/reply/python_lexer.h"

struct walk {
	const char *text;
	size_t length;
	size_t at;          /* here; `length`: it is over */
	struct fence fence; /* that one is in, or else the next one */
	bool has_fence;
	size_t line; /* where the line of its opening fence begins */
	struct fence_scan fences;
	struct python_at lexer; /* in the fence, at `lexed` */
	size_t lexed;
	unsigned objects; /* of JSON that were tried */
};

/* Begin at `at`, as if nothing stood before it. */
void walk_start(struct walk *w, const char *text, size_t length, size_t at);

/* Go to the next character that is not in a string or a comment of a block, nor in JSON. */
void walk_step(struct walk *w);

/* Go to `at`: behind something that is left out, in the block one is in. */
void walk_skip(struct walk *w, size_t at);

/* Go to `at`, where the text begins anew: outside of every block. */
void walk_again(struct walk *w, size_t at);

/* Between a block's fences. */
static inline bool walk_in_fence(const struct walk *w)
{
	return w->has_fence && w->at >= w->fence.start && w->at < w->fence.end;
}

#endif
