/*
 * fold - assemble the pieces of a reply into one struct chat_reply.
 *
 * Used by ollama.c and openai.c. Bounds the servers' texts, makes them valid UTF-8, and turns every
 * form of a tool call into the JSON text of an object.
 */
#ifndef GLOVEBOX_AGENT_FOLD_H
#define GLOVEBOX_AGENT_FOLD_H

#include "agent/data/chat.h"
#include "base/err.h"
#include "base/json.h"

#define FOLD_TEXT_MAX  ((size_t)16 << 20) /* of a reply */
#define FOLD_CALLS_MAX 64

/* A call that is still growing. */
struct fold_call {
	char *id;
	char *name;
	struct buf arguments; /* text; fold_end() makes it an object */
};

struct fold {
	const struct chat_sink *sink; /* NULL: none */
	struct buf text[2];           /* by enum chat_piece */
	struct fold_call calls[FOLD_CALLS_MAX];
	size_t call_count;
	bool any;    /* a piece or a call has arrived */
	bool closed; /* later pieces are dropped */
	char *model;
	char done_reason[16];
};

void fold_fini(struct fold *f);

/* Reset everything except the sink. */
void fold_restart(struct fold *f);

/* Add a piece of text; NULL and "" are ignored. Errors: ERR_INPUT: the reply is too long. */
int fold_piece(struct fold *f, enum chat_piece kind, const char *text, struct err *e);

/*
 * fold_call - add to the call with this number, or create it.
 *
 * @id, @name  NULL or "": not given.
 * @arguments  a text to append, or any JSON value; NULL: none.
 */
int fold_call(struct fold *f, size_t index, const char *id, const char *name,
	      const struct json *arguments, struct err *e);

/*
 * fold_message - add a message in the servers' form: "content" and "tool_calls".
 *
 * @thinking  its member with thinking; NULL: none.
 * @in_parts  a call may come in several messages, as in OpenAI's streams.
 */
int fold_message(struct fold *f, const struct json *message, const char *thinking, bool in_parts,
		 struct err *e);

/* Return a size that grows with every addition: bytes, calls, the reason for the end. */
uint64_t fold_size(const struct fold *f);

/* Set the name of the model, and the reason for the end; NULL: not given. */
void fold_model(struct fold *f, const char *model);
void fold_reason(struct fold *f, const char *reason);

/* Move everything to *out, owned: chat_reply_fini(); its stats are untouched. */
void fold_end(struct fold *f, struct chat_reply *out);

#endif
