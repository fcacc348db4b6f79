/*
 * reply_end - detect while a reply arrives that the rest of it does not matter.
 *
 * Theory of operation. Models write on: behind their answer, behind their code with an invented
 * result, or the same lines for ever. Each costs minutes on a CPU, so the stream is closed there. A
 * possible end is checked by reading the reply as if it were complete (extract.h), so a tag in a
 * string of the code, or in thinking, ends nothing. Lines are a loop when LOOP_LINES of them repeat
 * those before; the first repetition is kept.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_REPLY_END_H
#define GLOVEBOX_AGENT_REPLY_END_H

#include <stdbool.h>

#include "agent/data/chat.h"
#include "base/buf.h"

struct reply_end {
	struct buf text[2]; /* by enum chat_piece, as received */
	size_t seen;        /* bytes of the content that need no second look */
	size_t line;        /* start of the line at `seen` */
	bool tag_in_line;   /* that line has the closing tag of an answer */
	unsigned tries;
	bool ended;
	size_t loop; /* start of the second repetition of a loop in the content; 0: none */
};

/* Add a piece. */
void reply_end_add(struct reply_end *r, enum chat_piece kind, const char *text, size_t length);

void reply_end_fini(struct reply_end *r);

#endif
