/*
 * chat - the conversation between the agent and a model: messages, requests, replies.
 *
 * Plain data, the same for every kind of server (model.h). Texts are UTF-8 without NUL, and are
 * owned by the struct that holds them unless it says otherwise.
 */
#ifndef GLOVEBOX_AGENT_CHAT_H
#define GLOVEBOX_AGENT_CHAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

#include "base/buf.h"

enum chat_role { CHAT_SYSTEM, CHAT_USER, CHAT_ASSISTANT, CHAT_TOOL };

/* A tool call, as a server gave it or as extract.c found it in text. */
struct chat_call {
	char *id; /* NULL: none was given */
	char *name;
	char *arguments; /* JSON text of an object */
};

struct chat_message {
	enum chat_role role;
	char *content;           /* never NULL */
	char *thinking;          /* NULL: none */
	struct chat_call *calls; /* CHAT_ASSISTANT */
	size_t call_count;
	struct list images; /* CHAT_USER: PNGs, as Base64 */
	char *tool_name;    /* CHAT_TOOL: which call this answers */
	char *tool_call_id; /* CHAT_TOOL; NULL: none was given */
};

/* 0 for what the server does not say. */
struct chat_stats {
	uint64_t prompt_tokens;
	uint64_t reply_tokens;
	uint64_t load_us;
	uint64_t prompt_us;
	uint64_t reply_us;
	uint64_t total_us; /* measured here, from the request to the end of the reply */
};

struct chat_reply {
	struct chat_message message;
	char *model;          /* that answered, according to the server; NULL: it does not say */
	char done_reason[16]; /* "stop", "length", ...; "" */
	struct chat_stats stats;
};

enum chat_think { CHAT_THINK_UNSET, CHAT_THINK_OFF, CHAT_THINK_ON };

#define CHAT_UNSET (-1.0)

/* Everything is borrowed. */
struct chat_request {
	const char *model;
	const struct chat_message *messages;
	size_t message_count;
	bool offer_tools; /* execute_python, described in model.h */
	enum chat_think think;
	bool stream;
	uint64_t num_ctx;       /* tokens; 0: the server's */
	uint64_t num_predict;   /* tokens; 0: unlimited */
	double temperature;     /* CHAT_UNSET */
	int64_t seed;           /* -1: random */
	const char *keep_alive; /* "5m"; NULL: the server's */
};

enum chat_piece { CHAT_CONTENT, CHAT_THINKING };

/*
 * Receives a reply as it comes, piece by piece. An empty piece only says that time has passed: it
 * comes a few times a second, so that a status line can move.
 */
struct chat_sink {
	void (*piece)(void *context, enum chat_piece kind, const char *text, size_t length);
	/* Asked after a piece: is the rest not wanted? Then the stream is closed. NULL: it is. */
	bool (*enough)(void *context);
	void *context;
};

/* "system", "user", "assistant", "tool": as all servers and our files write them. */
const char *chat_role_name(enum chat_role role);

void chat_calls_free(struct chat_call *calls, size_t count);

/* Free what they hold, and leave them empty. */
void chat_message_fini(struct chat_message *m);
void chat_reply_fini(struct chat_reply *r);

/* A deep copy, owned by the caller. */
struct chat_message chat_message_copy(const struct chat_message *m);

/* A message of a role and a text, which is copied. */
struct chat_message chat_message_make(enum chat_role role, const char *content);

#endif
