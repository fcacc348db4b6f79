/*
 * extract - what a model's reply asks for: code to run, or a final answer.
 *
 * Theory of operation. A reply is read in five steps:
 *
 *   1. What a server should have removed is removed: thinking, turn tokens, "assistant:".
 *      Everything up to the last </think> is thinking. A <think> that is never closed means
 *      that the reply ended there: it holds neither code nor answer, whatever it looks like.
 *      Strings and comments of the code are skipped, in this step and in the others (prose.h).
 *   2. The text is cut where the model continues as another speaker: a line [EXECUTION RESULT]
 *      or "User:" after its own code. What follows is invented.
 *   3. Tool calls in the text are looked for. If there are any, they are the code.
 *   4. Otherwise fenced blocks are: Python ones become one source in order, others are left out.
 *      Blocks without a language count when no block says python; without any
 *      fence, indented blocks, or the whole text when every line of it is Python. A block that
 *      occurs twice in a row is run once.
 *   5. <FINAL_ANSWER> is looked for outside code, and a call of final_answer that stands for it.
 *
 * Code inside a complete <FINAL_ANSWER> is part of the answer, unless the answer is nothing else.
 * An answer beside code, or one that is code, is an `early_answer`: written before that code ran.
 * Which of the two counts is decided by what happened before (agent/decide.h).
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_EXTRACT_H
#define GLOVEBOX_AGENT_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/data/chat.h"

struct extract {
	char *text;              /* the reply for people: without thinking; never NULL */
	char *code;              /* what to run; NULL: nothing */
	char *description;       /* a call's description of its code, one line; NULL */
	char *answer;            /* final; NULL: none. Never together with code */
	char *early_answer;      /* given together with code, or nothing but code; NULL */
	struct chat_call *calls; /* found in the text; `code` is theirs, in order */
	size_t call_count;       /* 0: `code` was in fences */
	char *note;              /* for the model: what was wrong and what to do; NULL: nothing */
	bool thinking_unclosed;  /* cut off while thinking: ask again with a larger num_predict */
	bool code_unclosed;      /* its fence has no end: cut off, if done_reason is "length" */
	bool code_in_answer;     /* the answer shows Python that was not run */
	bool empty;              /* nothing is left to read: ask again once */
	bool words;              /* something stands beside its code */
	bool mistaken;           /* it tried to act or to answer, and cannot be read: see note */
	bool foreign;            /* all that it shows is in languages that are not run: see note */
	bool invented;           /* what follows its code is a result or a turn that it made up */
};

/*
 * extract_reply - read the content of a reply.
 *
 * @content  hostile, UTF-8 or not; borrowed.
 * @out      owned by the caller: extract_fini(). With neither code nor answer, out->note says what
 *           the model should do.
 */
void extract_reply(const char *content, struct extract *out);
void extract_fini(struct extract *x);

/* A line that only the agent writes, or that begins another speaker's turn. */
bool extract_is_invented(const char *line, size_t length);

/*
 * extract_call - the code of one tool call that the server parsed.
 *
 * @call  name and arguments as they came: any argument name is accepted if there is exactly one
 *        string argument, and the code may be in a fence.
 * @out   as above; only code, description and note are set.
 * Returns 0, or -1 when there is no code in it: out->note says what the model should do.
 */
int extract_call(const struct chat_call *call, struct extract *out);

/*
 * extract_answer_in_call - a message whose only call is of final_answer becomes the text that the
 * model was asked for. No other message is changed.
 */
void extract_answer_in_call(struct chat_message *m);

#define auto_extract __attribute__((cleanup(extract_fini)))

#endif
