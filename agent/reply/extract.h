/*
 * extract - find the code or the final answer in a model's reply.
 *
 * Theory of operation. A reply is read in five steps:
 *
 *   1. Remove what the server should have removed: thinking, turn tokens, "assistant:".
 *      Everything up to the last </think> is thinking. An unclosed <think> means that the
 *      reply ended in it, without code or answer, whatever it looks like. Strings and
 *      comments of the code are skipped, in all steps (prose.h).
 *   2. Cut the text where the model continues as another speaker: a line [EXECUTION RESULT]
 *      or "User:" after its own code. The rest is invented.
 *   3. Look for tool calls in the text. If there are any, they are the code.
 *   4. Otherwise look for fenced blocks: Python ones become one source in order, others are left
 *      out. Blocks without a language count when no block says python; without any fence,
 *      indented blocks, or the whole text when every line of it is Python. A block that occurs
 *      twice in a row runs once.
 *   5. Look for <FINAL_ANSWER> outside code, and for a call of final_answer in its place.
 *
 * Code inside a complete <FINAL_ANSWER> is part of the answer, unless it is all of the answer. An
 * answer beside code, or one that is code, is an `early_answer`: written before that code ran.
 * agent/decide.h decides which of the two counts, by what happened before.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_EXTRACT_H
#define GLOVEBOX_AGENT_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/data/chat.h"

struct extract {
	char *text;              /* the reply for people, without thinking; never NULL */
	char *code;              /* the code to run; NULL: none */
	char *description;       /* a call's description of its code, one line; NULL */
	char *answer;            /* final; NULL: none. Never together with code */
	char *early_answer;      /* given together with code, or nothing but code; NULL */
	struct chat_call *calls; /* found in the text; `code` is theirs, in order */
	size_t call_count;       /* 0: `code` was in fences */
	char *note;              /* for the model: what is wrong, and the remedy; NULL: nothing */
	bool thinking_unclosed;  /* cut off while thinking: ask again with a larger num_predict */
	bool code_unclosed;      /* its fence is open: cut off, if done_reason is "length" */
	bool code_in_answer;     /* the answer shows Python that did not run */
	bool empty;              /* the rest is empty: ask again once */
	bool words;              /* there are words beside its code */
	bool mistaken;           /* an unreadable attempt to act or to answer: see note */
	bool foreign;            /* all its code is in languages that do not run: see note */
	bool invented;           /* the model made up a result or a turn behind its code */
};

/*
 * extract_reply - read the content of a reply.
 *
 * @content  hostile, UTF-8 or not; borrowed.
 * @out      owned by the caller: extract_fini(). If it has neither code nor answer, out->note tells
 *           the model what to do.
 */
void extract_reply(const char *content, struct extract *out);
void extract_fini(struct extract *x);

/* Whether only the agent writes such a line, or another speaker's turn begins with it. */
bool extract_is_invented(const char *line, size_t length);

/*
 * extract_call - read the code of a tool call that the server parsed.
 *
 * @call  name and arguments as received: any argument name is accepted if there is exactly one
 *        string, and the code may be in a fence.
 * @out   as above; only code, description and note are set.
 * Returns 0, or -1 without code: out->note tells the model what to do.
 */
int extract_call(const struct chat_call *call, struct extract *out);

/*
 * extract_answer_in_call - if the only call of a message is of final_answer, turn it into the text
 * that the model was asked for. Other messages are unchanged.
 */
void extract_answer_in_call(struct chat_message *m);

#define auto_extract __attribute__((cleanup(extract_fini)))

#endif
