/*
 * tag - the tags that models write around their thinking and around an answer, in all spellings.
 *
 * One table for the code that decides what a reply is (agent/reply) and for the code that shows it
 * while it comes (agent/show): what is shown as thinking is treated as thinking.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_TAG_H
#define GLOVEBOX_AGENT_TAG_H

#include <stdbool.h>
#include <stddef.h>

enum tag_kind {
	TAG_NONE,
	TAG_CUT, /* the text ends in the possible beginning of one */
	TAG_THINKING,
	TAG_ANSWER,
};

struct tag {
	enum tag_kind kind;
	bool closing;
	size_t length;    /* in bytes, as spelt in the text; at most 64 */
	const char *name; /* its usual spelling */
};

/*
 * The tag at the beginning of `left` bytes of text. For TAG_NONE and TAG_CUT nothing else is set.
 */
struct tag tag_read(const char *text, size_t left);

/* "final answer" and its spellings: its length at the beginning of the text, or 0. */
size_t tag_answer_words(const char *text, size_t left);

#endif
