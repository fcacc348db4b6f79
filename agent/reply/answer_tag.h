/*
 * answer_tag - find the final answer in a reply.
 *
 * <FINAL_ANSWER>...</FINAL_ANSWER> in any case, with a blank or a hyphen for the underscore, also
 * in brackets. Without its end the answer extends to the end of the reply, without its beginning it
 * begins behind the last code. Without a tag, a line "Final answer:" begins it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_ANSWER_TAG_H
#define GLOVEBOX_AGENT_ANSWER_TAG_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/reply/fences.h"

struct answer_tag {
	bool found;
	bool complete; /* has its closing tag */
	bool unopened; /* has only its closing tag */
	size_t outer;  /* start of its tag */
	size_t start;  /* start of its text, without white space */
	size_t end;
	size_t after; /* end of its closing tag */
};

/* Find the last complete answer, else the last one. Tags inside blocks of code are ignored. */
void answer_tag_find(const char *text, size_t length, const struct fences *fences,
		     struct answer_tag *out);

/* Whether an answer copies a placeholder of our instructions ("...", "the answer"). */
bool answer_is_placeholder(const char *text, size_t length);

#endif
