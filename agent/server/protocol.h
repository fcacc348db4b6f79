/*
 * protocol - send a request and receive a reply, in either protocol.
 *
 * ollama.c and openai.c write requests and read answers; this file has what they share.
 */
#ifndef GLOVEBOX_AGENT_PROTOCOL_H
#define GLOVEBOX_AGENT_PROTOCOL_H

#include "agent/server/fold.h"
#include "agent/server/json_stream.h"

/* A reply while it arrives. */
struct protocol_reply {
	struct json_stream stream; /* first: a stream is this */
	const struct protocol *protocol;
	struct fold fold;
	struct chat_stats stats;
	bool streamed;
	bool complete;     /* its end has arrived */
	uint64_t begun_us; /* arrival of its first piece; 0: none yet */
};

struct protocol {
	const char *path;
	enum parts_form form; /* form of a streamed answer */
	void (*write_request)(const struct chat_request *request, struct buf *out);
	/*
	 * Add an object to the reply: a part of a streamed one, or all of it. Sets `complete` at
	 * the end. Errors: ERR_INPUT.
	 */
	int (*take)(struct protocol_reply *r, const struct json *object, struct err *e);
};

enum protocol_arguments { ARGUMENTS_OBJECTS, ARGUMENTS_STRINGS };

/*
 * protocol_put_messages - append the member "messages" to the current object.
 *
 * @arguments  the form of tool calls' arguments: Ollama rejects strings, OpenAI accepts nothing
 *             else.
 */
void protocol_put_messages(const struct chat_request *r, enum protocol_arguments arguments,
			   struct buf *out);

/* Append the members "temperature" and "seed", if they are set. */
void protocol_put_sampling(const struct chat_request *r, struct buf *out);

/* Append the member "tools": the one tool, described alike for every server. */
void protocol_put_tools(struct buf *out);

/* Implements chat() of struct model, for models that server_model_open() made. */
int protocol_chat(const struct protocol *protocol, struct model *m,
		  const struct chat_request *request, const struct chat_sink *sink,
		  struct chat_reply *out, enum model_failure *why, struct err *e);

#endif
