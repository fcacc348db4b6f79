/*
 * fold - the pieces of a reply become one struct chat_reply.
 *
 * Shared by ollama.c and openai.c. Servers' texts are bounded and made valid UTF-8 here; every form
 * of a tool call ends as JSON text of an object.
 */
#ifndef GLOVEBOX_AGENT_FOLD_H
#define GLOVEBOX_AGENT_FOLD_H

#include "agent/data/chat.h"
#include "base/err.h"
#include "base/json.h"

#define FOLD_TEXT_MAX  ((size_t)16 << 20) /* of a reply */
#define FOLD_CALLS_MAX 64

/* A call that may still grow. */
struct fold_call {
	char *id;
	char *name;
	struct buf arguments; /* a text; fold_end() makes it an object */
};

struct fold {
	const struct chat_sink *sink; /* NULL: none */
	struct buf text[2];           /* by enum chat_piece */
	struct fold_call calls[FOLD_CALLS_MAX];
	size_t call_count;
	bool any;    /* there was a piece or a call */
	bool closed; /* what comes now is not added */
	char *model;
	char done_reason[16];
};

void fold_fini(struct fold *f);

/* Forget everything except the sink. */
void fold_restart(struct fold *f);

/* Add a piece of text. NULL and "" are none. Errors: ERR_INPUT for a reply that is too long. */
int fold_piece(struct fold *f, enum chat_piece kind, const char *text, struct err *e);

/*
 * fold_call - add to the call with this number, or make it.
 *
 * @id, @name  NULL or "": not given.
 * @arguments  a text that is appended, or any JSON value; NULL: none.
 */
int fold_call(struct fold *f, size_t index, const char *id, const char *name,
	      const struct json *arguments, struct err *e);

/*
 * fold_message - add a message as servers write it: "content" and "tool_calls".
 *
 * @thinking  what it holds of that; NULL: none.
 * @in_parts  a call may come in several messages, as in OpenAI's streams.
 */
int fold_message(struct fold *f, const struct json *message, const char *thinking, bool in_parts,
		 struct err *e);

/* Grows with everything that is added: bytes, calls, the reason for the end. */
uint64_t fold_size(const struct fold *f);

/* The name of the model that answers, and why it ended; NULL: not given. */
void fold_model(struct fold *f, const char *model);
void fold_reason(struct fold *f, const char *reason);

/* Hand everything over: *out is owned, chat_reply_fini(); its stats are not touched. */
void fold_end(struct fold *f, struct chat_reply *out);

#endif
