/*
 * protocol - a reply asked for and taken, in whatever a server speaks.
 *
 * How a request is written and an answer read is in ollama.c and openai.c; what they have in
 * common is here.
 */
#ifndef GLOVEBOX_AGENT_PROTOCOL_H
#define GLOVEBOX_AGENT_PROTOCOL_H

#include "agent/server/fold.h"
#include "agent/server/json_stream.h"

/* A reply while it comes. */
struct protocol_reply {
	const struct protocol *protocol;
	struct json_stream stream;
	struct fold fold;
	struct chat_stats stats;
	bool streamed;
	bool complete;     /* its end was there */
	uint64_t begun_us; /* when its first piece came; 0: none came */
};

struct protocol {
	const char *path;
	enum json_stream_form form; /* of a streamed answer */
	bool tells_no_times;        /* they are measured here */
	void (*write_request)(const struct chat_request *request, struct buf *out);
	/*
	 * Add an object to the reply: a part of a streamed one, or else all of it. Sets `complete`
	 * if that was the end. Errors: ERR_INPUT.
	 */
	int (*take)(struct protocol_reply *r, const struct json *object, struct err *e);
};

/* chat() of struct model, of one that server_model_open() made. */
int protocol_chat(const struct protocol *protocol, struct model *m,
		  const struct chat_request *request, const struct chat_sink *sink,
		  struct chat_reply *out, enum model_failure *why, struct err *e);

#endif
