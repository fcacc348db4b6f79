/*
 * json_stream - takes an answer that is a series of JSON values: lines, as Ollama streams, or
 * server-sent events, as OpenAI does.
 *
 * A value that tells of an error ends it, and is put into words by server_ask(). What comes
 * behind the end is not looked at.
 */
#ifndef GLOVEBOX_AGENT_JSON_STREAM_H
#define GLOVEBOX_AGENT_JSON_STREAM_H

#include "agent/server/ndjson.h"
#include "agent/server/server.h"
#include "agent/server/sse.h"

enum json_stream_form {
	JSON_LINES,
	JSON_EVENTS, /* the last one may be "[DONE]" */
};

struct json_stream {
	/* Set by the caller, and of `taker` the sink. */
	enum json_stream_form form;
	/* Gets a value; sets taker.passed_on, and taker.complete at the last. -1: *e says why. */
	int (*value)(struct json_stream *s, const struct json *value, struct err *e);
	/* The body is over: is what came complete, though nothing said so? NULL: it is not. */
	bool (*is_whole)(const struct json_stream *s);
	/* Forget a beginning: it comes again. NULL: there is nothing to forget. */
	void (*restart)(struct json_stream *s);

	struct server_taker taker; /* value() adds what it finds to its `content` */
	uint64_t content;          /* when it last grew */
	size_t idle_pieces;        /* values since then */
	struct ndjson lines;
	struct sse events;
};

/* json_stream_ask - server_ask(), with this taker. */
int json_stream_ask(struct server *server, const char *path, const struct buf *body,
		    const char *model, struct json_stream *s, enum model_failure *why,
		    struct err *e);

#endif
