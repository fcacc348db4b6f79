/*
 * model - what answers a conversation: an Ollama server, an OpenAI-compatible one, or a
 * transcript that plays one.
 *
 * One struct of functions; ollama.c, openai.c and replay.c each make one. None of them
 * prints anything or decides anything: the loop (loop.c) does.
 *
 * Runs: the agent. Needs: nothing but the network.
 */
#ifndef GLOVEBOX_AGENT_MODEL_H
#define GLOVEBOX_AGENT_MODEL_H

#include "agent/data/chat.h"
#include "base/err.h"

/* The one tool that is offered. Its arguments: code (required), description. */
#define TOOL_NAME "execute_python"

/* The default model; no registry has it: `glovebox agent setup` makes it. */
#define TUNED_MODEL "code-interpreter"

/* Why a request failed, where the caller can do something about it. */
enum model_failure {
	MODEL_UNREACHABLE, /* no server there: the text says how to start it and what was tried */
	MODEL_MISSING,     /* the server has no such model: the text says which there are */
	MODEL_NO_TOOLS,    /* ask again without tools */
	MODEL_NO_THINKING, /* ask again without thinking */
	MODEL_BUSY,        /* 503, also at the second try */
	MODEL_CANCELLED,   /* cancel_fd became readable */
	MODEL_BROKEN,      /* everything else: what the server said, or how it broke the protocol */
};

/* What the server knows of a model beforehand. */
struct model_facts {
	bool known; /* the rest is not a guess */
	bool tools;
	bool thinking;
	uint64_t context_length; /* that it was trained for; 0: not said */
};

/* Where a loaded model runs. */
struct model_placement {
	bool loaded;
	uint64_t size_bytes;
	uint64_t gpu_bytes;      /* of those; 0: all on the processor */
	uint64_t context_length; /* in force; 0: not said */
};

struct model {
	/*
	 * chat - send a conversation, take the reply.
	 * @sink  gets the pieces as they come, NULL: nobody; with request->stream only.
	 * @out   on success owned: chat_reply_fini(). Tool calls that a server parses are in
	 *        out->message.calls; those that stand in the text are extract.c's.
	 * @why   out, on -1.
	 */
	int (*chat)(struct model *m, const struct chat_request *request,
		    const struct chat_sink *sink, struct chat_reply *out, enum model_failure *why,
		    struct err *e);
	/* Before the first request. A server that cannot say leaves known false and returns 0. */
	int (*look_up)(struct model *m, const char *name, struct model_facts *out,
		       enum model_failure *why, struct err *e);
	/* After the first reply. A server that cannot say leaves loaded false and returns 0. */
	int (*placement)(struct model *m, const char *name, struct model_placement *out,
			 struct err *e);
	void (*free)(struct model *m);
	int cancel_fd;       /* borrowed; readable: give up at once; -1: nobody cancels */
	const char *url;     /* for messages; borrowed from the struct */
	const char *warning; /* about the address, for the user; "" or NULL: none. As url */
};

#endif
