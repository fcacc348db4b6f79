/*
 * segment - split a reply's text into its parts while it arrives.
 *
 * The parts are prose, thinking between tags, code between fences, the answer between its tags
 * (tag.h). Pieces may be cut anywhere: inside a character, a fence or a tag. This is only for
 * display; extract.c decides on the whole reply what runs and what is the answer.
 *
 * Prose, thinking and answers pass through as they arrive, except for text that may become a tag or
 * a fence. Code passes line by line, so that it can be highlighted; a line longer than SEGMENT_LINE
 * passes in parts.
 *
 * No side effects except those of `take`.
 */
#ifndef GLOVEBOX_AGENT_SEGMENT_H
#define GLOVEBOX_AGENT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define SEGMENT_LINE 4096 /* bytes */

enum segment_kind {
	SEGMENT_PROSE,
	SEGMENT_THINKING,
	SEGMENT_ANSWER,
	SEGMENT_CODE,  /* whole lines, without a newline */
	SEGMENT_FENCE, /* the line that opens or closes code, without a newline */
	SEGMENT_TAG,   /* of thinking or of the answer; comes before or after what it marks */
};

struct segments {
	void (*take)(void *context, enum segment_kind kind, const char *text, size_t length);
	void *context;
	enum segment_kind now;    /* prose, thinking, answer or code */
	enum segment_kind around; /* the kind around a code block */
	struct buf held;          /* not passed on yet */
	bool mid_line;            /* a part of this line was passed on */
	char before;              /* the last byte passed on */
	char fence;               /* '`' or '~' of the open block */
	size_t fence_length;
	bool python; /* the open block has Python as its language, or none */
};

void segments_add(struct segments *s, const char *text, size_t length);

/* The reply is over: flush the buffer; *s can be reused. */
void segments_end(struct segments *s);

#endif
