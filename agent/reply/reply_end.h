/*
 * reply_end - has a reply that is still coming said all that counts?
 *
 * Theory of operation. Models write on: behind their answer, behind their code with a result that
 * they make up, or the same lines for ever. Each costs minutes on a CPU, so the stream is closed
 * there. What looks like such an end is read as the whole reply would be (extract.h), so a tag in a
 * string of the code, or in thinking, ends nothing. Lines are a loop when LOOP_LINES of them repeat
 * those before; of a loop the first turn is kept.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_REPLY_END_H
#define GLOVEBOX_AGENT_REPLY_END_H

#include <stdbool.h>

#include "agent/data/chat.h"
#include "base/buf.h"

struct reply_end {
	struct buf text[2]; /* by enum chat_piece, as far as it has come */
	size_t seen;        /* how much of the content needs no second look */
	size_t line;        /* where the line at `seen` begins */
	bool tag_in_line;   /* it has the closing tag of an answer */
	unsigned tries;
	bool ended;
	size_t loop; /* where the second turn of a loop in the content begins; 0: there is none */
};

/* Take the next piece. */
void reply_end_add(struct reply_end *r, enum chat_piece kind, const char *text, size_t length);

void reply_end_fini(struct reply_end *r);

#endif
