/*
 * json_stream - read an answer that is a series of JSON values: lines, as Ollama streams, or
 * server-sent events, as OpenAI does.
 *
 * A value that reports an error ends the stream, and server_ask() words the error. Values after the
 * end are ignored.
 */
#ifndef GLOVEBOX_AGENT_JSON_STREAM_H
#define GLOVEBOX_AGENT_JSON_STREAM_H

#include "agent/server/parts.h"
#include "agent/server/server.h"

struct json_stream {
	struct server_taker taker; /* first: a taker is this; value() adds to its `content` */
	/* Set by the caller, with the sink of `taker`. */
	enum parts_form form; /* the last event may be "[DONE]" */
	/*
	 * Receives a value; sets taker.passed_on, and taker.complete at the last. -1: *e says why.
	 */
	int (*value)(struct json_stream *s, const struct json *value, struct err *e);
	/* Whether a body without an explicit end is complete. NULL: it is not. */
	bool (*is_whole)(const struct json_stream *s);
	/* Drop the values so far: the answer will start again. NULL: nothing to drop. */
	void (*restart)(struct json_stream *s);

	uint64_t content;   /* value of taker.content when it last grew */
	size_t idle_pieces; /* values since then */
	struct parts parts;
};

/* json_stream_ask - server_ask() with this taker. */
int json_stream_ask(struct server *server, const char *path, const struct buf *body,
		    const char *model, struct json_stream *s, enum model_failure *why,
		    struct err *e);

#endif
