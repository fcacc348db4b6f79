/*
 * extract_code - which parts of a reply are its code.
 *
 * The code is what the model wrote: the session that runs it mends what does not compile
 * (rootfs/guest/dialect.py).
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_EXTRACT_CODE_H
#define GLOVEBOX_AGENT_EXTRACT_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/reply/answer_tag.h"
#include "agent/reply/fences.h"
#include "base/buf.h"

struct code_found {
	size_t last;         /* where in the code the last block begins */
	bool unclosed;       /* the last block has no end */
	bool in_answer;      /* a Python block is part of the answer, and was left there */
	bool other_language; /* blocks of other languages were left out */
};

/*
 * Append a block to the code, without blank lines around it, with a newline at its end, and apart
 * from what is there already. Nothing is appended if nothing is left.
 */
void code_add(const char *code, size_t length, struct buf *out);

/* Append the code of a reply without calls to *out. */
void code_of_reply(const char *text, size_t length, const struct fences *fences,
		   const struct answer_tag *answer, struct buf *out, struct code_found *found);

/* The same for a call's argument, which may be fenced. */
void code_of_argument(const char *code, struct buf *out, struct code_found *found);

/* Whether the answer is one block of code and nothing else. */
bool code_is_all(const struct fences *fences, const struct answer_tag *answer);

/*
 * A call's description of its code: the first line, without control characters, at most 200 bytes.
 * Owned.
 */
char *code_description(const char *text);

#endif
