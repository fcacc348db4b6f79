/*
 * tag - tags around the thinking and the answer of a model, in all spellings.
 *
 * One table for the code that decides what a reply is (agent/reply) and for the code that shows it
 * while it arrives (agent/show), so both agree on what is thinking.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_TAG_H
#define GLOVEBOX_AGENT_TAG_H

#include <stdbool.h>
#include <stddef.h>

enum tag_kind {
	TAG_NONE,
	TAG_CUT, /* the text ends in what may be the beginning of a tag */
	TAG_THINKING,
	TAG_ANSWER,
};

struct tag {
	enum tag_kind kind;
	bool closing;
	size_t length;    /* in bytes, as spelt; at most 64 */
	const char *name; /* the usual spelling */
};

/*
 * Read a tag at the beginning of a text. For TAG_NONE and TAG_CUT only the kind is set.
 */
struct tag tag_read(const char *text, size_t left);

/* Return the length of "final answer", in any spelling, at the beginning of a text; else 0. */
size_t tag_answer_words(const char *text, size_t left);

#endif
