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

enum chat_role { CHAT_SYSTEM, CHAT_USER, CHAT_ASSISTANT, CHAT_TOOL };

/* A tool call, from a server or from a text (extract.c). */
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
	char *tool_name;    /* CHAT_TOOL: name of the call that it answers */
	char *tool_call_id; /* CHAT_TOOL; NULL: none was given */
};

/* 0: the server does not report it. */
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
	char *model;          /* that answered; NULL: the server does not say */
	char done_reason[16]; /* "stop", "length", ...; "" */
	struct chat_stats stats;
};

enum chat_think { CHAT_THINK_UNSET, CHAT_THINK_OFF, CHAT_THINK_ON };

#define CHAT_UNSET (-1.0)

/* All borrowed. */
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
 * Receives a reply piece by piece. An empty piece is a clock tick, a few times a second, which
 * updates a status line.
 */
struct chat_sink {
	void (*piece)(void *context, enum chat_piece kind, const char *text, size_t length);
	/* Asked after a piece; true: close the stream. NULL: read the whole reply. */
	bool (*enough)(void *context);
	void *context;
};

/* "system", "user", "assistant", "tool": the names in all protocols and in our files. */
const char *chat_role_name(enum chat_role role);

void chat_calls_free(struct chat_call *calls, size_t count);

/* Free the members and zero them. */
void chat_message_fini(struct chat_message *m);
void chat_reply_fini(struct chat_reply *r);

/* A deep copy, owned by the caller. */
struct chat_message chat_message_copy(const struct chat_message *m);

/* Make a message of a role and a copy of a text. */
struct chat_message chat_message_make(enum chat_role role, const char *content);

#endif
