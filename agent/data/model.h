/*
 * model - what answers a conversation: an Ollama server or an OpenAI-compatible one.
 *
 * One struct of functions; ollama.c and openai.c each make one. They print nothing and
 * decide nothing: the loop (loop.c) does.
 *
 * Runs: the agent. Needs: only the network.
 */
#ifndef GLOVEBOX_AGENT_MODEL_H
#define GLOVEBOX_AGENT_MODEL_H

#include "agent/data/chat.h"
#include "base/err.h"

/* The one tool that is offered. Its arguments: code (required), description. */
#define TOOL_NAME "execute_python"

/* The default model. No registry has it; `glovebox agent setup` makes it. */
#define TUNED_MODEL "code-interpreter"

/* Why a request failed, as far as the caller can do something about it. */
enum model_failure {
	MODEL_UNREACHABLE, /* no server there: the text says how to start it and what was tried */
	MODEL_MISSING,     /* the server lacks the model: the text lists those it has */
	MODEL_NO_TOOLS,    /* ask again without tools */
	MODEL_NO_THINKING, /* ask again without thinking */
	MODEL_BUSY,        /* 503, at the second try, too */
	MODEL_CANCELLED,   /* cancel_fd became readable */
	MODEL_BROKEN,      /* everything else: what the server said, or how it broke the protocol */
};

/* What the server knows about a model in advance. */
struct model_facts {
	bool known; /* if false, the rest is a guess */
	bool tools;
	bool thinking;
	bool vision;
	uint64_t context_length; /* that it was trained for; 0: unknown */
};

/* Where a loaded model runs. */
struct model_placement {
	bool loaded;
	uint64_t size_bytes;
	uint64_t gpu_bytes;      /* of those; 0: all on the CPU */
	uint64_t context_length; /* in use; 0: unknown */
};

struct model {
	/*
	 * chat - send a conversation, receive the reply.
	 * @sink  gets the pieces as they come, or NULL; with request->stream only.
	 * @out   on success owned: chat_reply_fini(). Tool calls that a server parses are in
	 *        out->message.calls; those within the text are found by extract.c.
	 * @why   out, on -1.
	 */
	int (*chat)(struct model *m, const struct chat_request *request,
		    const struct chat_sink *sink, struct chat_reply *out, enum model_failure *why,
		    struct err *e);
	/*
	 * Before the first request; NULL: its protocol cannot ask. If the server cannot say, known
	 * stays false and 0 is returned.
	 */
	int (*look_up)(struct model *m, const char *name, struct model_facts *out,
		       enum model_failure *why, struct err *e);
	/* After the first reply; NULL: never known. If the server cannot say, loaded stays false.
	 */
	int (*placement)(struct model *m, const char *name, struct model_placement *out,
			 struct err *e);
	void (*free)(struct model *m);
	int cancel_fd;   /* borrowed; readable: stop at once; -1: never */
	const char *url; /* for messages; borrowed from the struct */
	const char
		*warning; /* about the address, for the user; "" or NULL: none. Borrowed, as url */
};

#endif
