/*
 * reply_view - the text of a reply on a console, while it still comes.
 *
 * Code is highlighted, thinking dimmed, Markdown rendered, everything escaped. With `hold` no text
 * is written before it is known what it is, because the answer will be written elsewhere: then it
 * is left out here. Words behind the closing tag of an answer are written only if it is none.
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

	/* Its own. */
	struct segments segments;
	struct escape thinking; /* of the reply's thinking field */
	struct escape text;
	struct markdown markdown; /* of prose and answers, if there are colours */
	struct python_at highlight;
	enum segment_kind last;
	bool muted;        /* looked at, and not written */
	bool no_answer;    /* what is between the tags of an answer is not written */
	bool behind;       /* behind the closing tag of an answer */
	size_t before;     /* how much of `whole` stands before that */
	struct buf tail;   /* what came behind it, not written yet */
	struct buf held;   /* the text that was not written yet */
	struct buf whole;  /* without tags and thinking; the next two are parts of it */
	struct buf answer; /* between its tags */
	struct buf code;
};

/* Forget the last reply. */
void reply_view_begin(struct reply_view *v);

void reply_view_add(struct reply_view *v, enum chat_piece kind, const char *text, size_t length);

/* The reply is complete. */
void reply_view_end(struct reply_view *v);

/* Whether this code, but for white space, is all of the code in the reply. */
bool reply_view_has_code(const struct reply_view *v, const char *code, size_t length);

/* Write what is held back: it is no answer. */
void reply_view_release(struct reply_view *v);

/*
 * reply_view_answer - the answer is this text: write what is held back, without the answer.
 * Returns whether the answer stands on the console already.
 */
bool reply_view_answer(struct reply_view *v, const char *text, size_t length);

/* Free what it holds. */
void reply_view_fini(struct reply_view *v);

#endif
