/*
 * reply_view - show the text of a reply on a console while it arrives.
 *
 * Highlights code, dims thinking, renders Markdown, escapes everything. With `hold` the answer is
 * written elsewhere, so text is held back until its kind is known, and the answer is left out here.
 * Words behind the closing tag of an answer are written only if it turns out not to be the answer.
 *
 * Writes to the console.
 */
#ifndef GLOVEBOX_AGENT_REPLY_VIEW_H
#define GLOVEBOX_AGENT_REPLY_VIEW_H

#include "agent/data/chat.h"
#include "agent/data/python_lexer.h"
#include "agent/show/markdown.h"
#include "agent/show/segment.h"
#include "agent/show/show.h"
#include "base/escape.h"

struct reply_view {
	/* Set by the caller; borrowed. */
	struct show *show;
	bool hold;

	/* Private. */
	struct segments segments;
	struct escape thinking; /* for the reply's thinking field */
	struct escape text;
	struct markdown markdown; /* for prose and answers, if there are colours */
	struct python_at highlight;
	enum segment_kind last;
	bool muted;        /* parsed, but not written */
	bool no_answer;    /* do not write the text between the tags of an answer */
	bool behind;       /* behind the closing tag of an answer */
	size_t before;     /* bytes of `whole` before the tag */
	struct buf tail;   /* text behind the tag, not written yet */
	struct buf held;   /* text not written yet */
	struct buf whole;  /* without tags and thinking; `before` and `answer` are parts of it */
	struct buf answer; /* between its tags */
	struct buf code;
};

/* Reset for a new reply. */
void reply_view_begin(struct reply_view *v);

void reply_view_add(struct reply_view *v, enum chat_piece kind, const char *text, size_t length);

/* The reply is complete: flush its text. */
void reply_view_end(struct reply_view *v);

/* Whether this code, ignoring white space, is all of the code in the reply. */
bool reply_view_has_code(const struct reply_view *v, const char *code, size_t length);

/* Write the held text: it is not an answer. */
void reply_view_release(struct reply_view *v);

/*
 * reply_view_answer - this text is the answer: write the held text without it.
 * Returns whether the console shows the answer already.
 */
bool reply_view_answer(struct reply_view *v, const char *text, size_t length);

/* Free what it holds. */
void reply_view_fini(struct reply_view *v);

#endif
