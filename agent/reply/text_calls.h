/*
 * text_calls - find calls of execute_python in the text of a reply.
 *
 * Theory of operation. Models write calls as they were trained to: as JSON, bare or in a fence, in
 * <tool_call> tags, in a list, after [TOOL_CALLS] or <|python_tag|>, as <function=name> with
 * parameters, as a Python call. Instead of knowing every wrapper, this looks for what is inside all
 * of them: an object with the tool's name and its arguments, the name followed by an object, or the
 * name followed by a string in parentheses.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_TEXT_CALLS_H
#define GLOVEBOX_AGENT_TEXT_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/reply/fences.h"

#define TEXT_CALLS_MAX 16 /* of one reply; further ones are ignored */

struct text_call {
	size_t start; /* position in the text */
	size_t end;
	char *code;
	char *description; /* NULL */
};

struct text_calls {
	struct text_call items[TEXT_CALLS_MAX];
	size_t count;
	char *unknown; /* name of a tool that does not exist; NULL */
	char *answer;  /* of the last call of final_answer; NULL */
	size_t answer_start;
	bool broken; /* an unreadable call of execute_python */
};

/* @fences  of the same text: objects in Python blocks are data, not calls. */
void text_calls_find(const char *text, size_t length, const struct fences *fences,
		     struct text_calls *out);
void text_calls_fini(struct text_calls *c);

#endif
