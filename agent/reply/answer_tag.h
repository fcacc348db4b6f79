/*
 * answer_tag - where in a reply the final answer is.
 *
 * <FINAL_ANSWER>...</FINAL_ANSWER> in any case and with a blank or a hyphen for the underscore,
 * also in brackets; without its end it extends to the end of the reply, without its beginning it
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
	bool complete; /* it has its closing tag */
	bool unopened; /* and no other */
	size_t outer;  /* where its tag begins */
	size_t start;  /* its text, without white space around it */
	size_t end;
	size_t after; /* after its closing tag */
};

/* The last complete answer, else the last. Tags inside blocks of code do not count. */
void answer_tag_find(const char *text, size_t length, const struct fences *fences,
		     struct answer_tag *out);

/* "...", "the answer": the words of an instruction of ours, or none. */
bool answer_is_placeholder(const char *text, size_t length);

#endif
