/*
 * model - a model behind an Ollama server or an OpenAI-compatible one.
 *
 * One struct of functions; ollama.c and openai.c each fill one in. They print nothing and decide
 * nothing: the loop (loop.c) does.
 *
 * Runs: the agent. Needs: only the network.
 */
#ifndef GLOVEBOX_AGENT_MODEL_H
#define GLOVEBOX_AGENT_MODEL_H

#include "agent/data/chat.h"
#include "base/err.h"

/* The only tool that models are offered. Arguments: code (required), description. */
#define TOOL_NAME "execute_python"

/* The default model. It is in no registry; `glovebox agent setup` makes it. */
#define TUNED_MODEL "code-interpreter"

/* Failures of a request, by the caller's remedy. */
enum model_failure {
	MODEL_UNREACHABLE, /* no server: the text says how to start one, and what was tried */
	MODEL_MISSING,     /* the server lacks the model: the text lists its models */
	MODEL_NO_TOOLS,    /* ask again without tools */
	MODEL_NO_THINKING, /* ask again without thinking */
	MODEL_BUSY,        /* 503, also at the second try */
	MODEL_CANCELLED,   /* cancel_fd became readable */
	MODEL_BROKEN,      /* all others: the server's error, or a broken protocol */
};

/* Facts about a model that the server reports. */
struct model_facts {
	bool known; /* false: the rest is a guess */
	bool tools;
	bool thinking;
	bool vision;
	uint64_t context_length; /* of its training; 0: unknown */
};

/* Where a loaded model runs. */
struct model_placement {
	bool loaded;
	uint64_t size_bytes;
	uint64_t gpu_bytes;      /* of `bytes`; 0: all on the CPU */
	uint64_t context_length; /* in use; 0: unknown */
};

struct model {
	/*
	 * chat - send a conversation, receive the reply.
	 * @sink  gets the pieces as they arrive, or NULL; with request->stream only.
	 * @out   on success owned: chat_reply_fini(). Tool calls that a server parses are in
	 *        out->message.calls; extract.c finds calls within the text.
	 * @why   out, on -1.
	 */
	int (*chat)(struct model *m, const struct chat_request *request,
		    const struct chat_sink *sink, struct chat_reply *out, enum model_failure *why,
		    struct err *e);
	/*
	 * Ask for facts before the first request; NULL: not in the protocol. If the server does not
	 * report them, `known` stays false and 0 is returned.
	 */
	int (*look_up)(struct model *m, const char *name, struct model_facts *out,
		       enum model_failure *why, struct err *e);
	/* Ask after the first reply; NULL: not in the protocol. Unknown: `loaded` stays false. */
	int (*placement)(struct model *m, const char *name, struct model_placement *out,
			 struct err *e);
	void (*free)(struct model *m);
	int cancel_fd;   /* borrowed; readable: stop at once; -1: never */
	const char *url; /* for messages; borrowed from the struct */
	const char
		*warning; /* for the user, about the address; "" or NULL: none. Borrowed, as url */
};

#endif
