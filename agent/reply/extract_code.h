/*
 * extract_code - decide which parts of a reply are its code.
 *
 * The code stays as the model wrote it: the session that runs it repairs what does not compile
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
	size_t last;         /* start of the last block in the code */
	bool unclosed;       /* the last block is unclosed */
	bool in_answer;      /* a Python block stays in the answer, of which it is a part */
	bool other_language; /* blocks of other languages were left out */
};

/*
 * Append a block to the code, trimmed of blank lines, ending with a newline, and separated from
 * what is there. An empty block is not appended.
 */
void code_add(const char *code, size_t length, struct buf *out);

/* Append the code of a reply without calls. */
void code_of_reply(const char *text, size_t length, const struct fences *fences,
		   const struct answer_tag *answer, struct buf *out, struct code_found *found);

/* Append the code of a call's argument, which may be fenced. */
void code_of_argument(const char *code, struct buf *out, struct code_found *found);

/* Whether the answer consists of one block of code. */
bool code_is_all(const struct fences *fences, const struct answer_tag *answer);

/*
 * Clean a call's description of its code: the first line, without control characters, at most 200
 * bytes. Owned.
 */
char *code_description(const char *text);

#endif
