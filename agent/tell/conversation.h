/*
 * conversation - hold the messages so far, and drop those that exceed the model's context.
 *
 * Theory of operation. The first message is the system text. A task is a user's message; a round is
 * one reply of the model with its answers. When the estimate exceeds the budget, the oldest rounds
 * and earlier tasks are dropped, a reply always together with its results (servers reject results
 * without their calls). The system text, the current task and the last two rounds stay.
 *
 * Tokens are estimated from the text, a little too high; the server's counts correct the estimate.
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
	struct chat_message *messages; /* of a request, in order */
	size_t count;
	size_t task; /* index of the current task, if has_task */
	bool has_task;
	bool counts_all;       /* this server counts cached tokens, too */
	size_t dropped;        /* messages dropped so far */
	unsigned per_thousand; /* correction of the estimate; 0 means 1,000 */
};

void conversation_fini(struct conversation *c);

/* Set or replace the system text, the first message. Copied. */
void conversation_set_system(struct conversation *c, const char *text);

/* Begin a task. Copied. */
void conversation_add_task(struct conversation *c, const char *text);

/* Take a message over: *m is empty afterwards. A CHAT_ASSISTANT begins a round. */
void conversation_add(struct conversation *c, struct chat_message *m);

/* Return the tokens of all messages, corrected, with the template's share of each. */
uint64_t conversation_tokens(const struct conversation *c);

/* Return the tokens of one text, uncorrected. */
uint64_t conversation_text_tokens(const char *text, size_t length);

/*
 * conversation_trim - drop the oldest rounds until the estimate is at most `budget` tokens.
 * @budget  num_ctx less the reply's share.
 * Returns false if what must stay exceeds it.
 */
bool conversation_trim(struct conversation *c, uint64_t budget);

/*
 * conversation_learn - correct the estimate by the server's count for the last request.
 *
 * Call it before adding the reply.
 *
 * @counted  prompt_eval_count; 0: not reported. Some servers count only uncached tokens: then a
 *           small number means nothing, except for the first request.
 * @first    nothing can be cached.
 * Returns true if the server has cut the conversation silently.
 */
bool conversation_learn(struct conversation *c, uint64_t counted, bool first);

#endif
