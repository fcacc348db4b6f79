/*
 * protocol - request and receive a reply, in either protocol.
 *
 * ollama.c and openai.c know how a request is written and an answer read; what they share is here.
 */
#ifndef GLOVEBOX_AGENT_PROTOCOL_H
#define GLOVEBOX_AGENT_PROTOCOL_H

#include "agent/server/fold.h"
#include "agent/server/json_stream.h"

/* A reply while it comes. */
struct protocol_reply {
	struct json_stream stream; /* first: a stream is this */
	const struct protocol *protocol;
	struct fold fold;
	struct chat_stats stats;
	bool streamed;
	bool complete;     /* its end has come */
	uint64_t begun_us; /* when its first piece came; 0: none came */
};

struct protocol {
	const char *path;
	enum parts_form form; /* of a streamed answer */
	void (*write_request)(const struct chat_request *request, struct buf *out);
	/*
	 * Add an object to the reply: a part of a streamed one, or else all of it. Sets `complete`
	 * if that was the end. Errors: ERR_INPUT.
	 */
	int (*take)(struct protocol_reply *r, const struct json *object, struct err *e);
};

enum protocol_arguments { ARGUMENTS_OBJECTS, ARGUMENTS_STRINGS };

/*
 * protocol_put_messages - append the member "messages" to the current object.
 *
 * @arguments  how the arguments of tool calls are written: Ollama refuses strings, OpenAI accepts
 *             nothing else.
 */
void protocol_put_messages(const struct chat_request *r, enum protocol_arguments arguments,
			   struct buf *out);

/* Append the members "temperature" and "seed", as far as they are set. */
void protocol_put_sampling(const struct chat_request *r, struct buf *out);

/* Append the member "tools": the description of the one tool, the same for every server. */
void protocol_put_tools(struct buf *out);

/* Implements chat() of struct model, for a model that server_model_open() made. */
int protocol_chat(const struct protocol *protocol, struct model *m,
		  const struct chat_request *request, const struct chat_sink *sink,
		  struct chat_reply *out, enum model_failure *why, struct err *e);

#endif
