/*
 * conversation - the messages so far, and which of them fit into the model's context.
 *
 * Theory of operation. The first message is the system text. A task is a user's message; a
 * round is one reply of the model with everything that answers it. When the estimate exceeds
 * the budget, the oldest rounds and earlier tasks are dropped, a reply always together with
 * its results (a server refuses results of calls it has not seen). The system text, the
 * current task and the last two rounds stay.
 *
 * Tokens are estimated from the text, a little too high, and the estimate is corrected by
 * what the server counts.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_CONVERSATION_H
#define GLOVEBOX_AGENT_CONVERSATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/data/chat.h"

struct conversation {
	struct chat_message *messages; /* for a request, in order */
	size_t count;
	size_t task; /* index of the current one, if has_task */
	bool has_task;
	bool counts_all;       /* this server counts cached tokens, too */
	size_t dropped;        /* messages so far */
	unsigned per_thousand; /* correction of the estimate; 0 means 1,000 */
};

void conversation_fini(struct conversation *c);

/* Put the system text first, or replace it. Copied. */
void conversation_set_system(struct conversation *c, const char *text);

/* Begin a task. Copied. */
void conversation_add_task(struct conversation *c, const char *text);

/* Take a message over: *m is empty afterwards. A CHAT_ASSISTANT begins a round. */
void conversation_add(struct conversation *c, struct chat_message *m);

/* The tokens of all messages, corrected, with what the template adds to each. */
uint64_t conversation_tokens(const struct conversation *c);

/* The tokens of one text, uncorrected. */
uint64_t conversation_text_tokens(const char *text, size_t length);

/*
 * conversation_trim - drop the oldest until the estimate is at most `budget` tokens.
 * @budget  num_ctx less what the reply may need.
 * Returns true if it fits now. False: what must stay is larger.
 */
bool conversation_trim(struct conversation *c, uint64_t budget);

/*
 * conversation_learn - compare with what the server counted for the last request.
 *
 * Call it before the reply is added.
 *
 * @counted  prompt_eval_count; 0: it did not say. Some servers count only what was not in their
 *           cache: then a small number means nothing, except for the first request.
 * @first    nothing can have been cached.
 * Returns true if the server has cut the conversation silently.
 */
bool conversation_learn(struct conversation *c, uint64_t counted, bool first);

#endif
