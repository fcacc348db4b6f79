/*
 * server - a server of models, and requests to it.
 *
 * Used by ollama.c, openai.c and ollama_models.c: repeats a request once if the server was busy, or
 * dropped the connection before any part of the answer was passed on. refusal.c words the final
 * errors.
 *
 * Runs: the agent. Needs: the network.
 */
#ifndef GLOVEBOX_AGENT_SERVER_H
#define GLOVEBOX_AGENT_SERVER_H

#include "agent/data/model.h"
#include "agent/server/http_client.h"
#include "base/json.h"

/* The server to open. Zero and NULL mean defaults. Borrowed. */
struct server_options {
	const char *url;         /* as in OLLAMA_HOST */
	const char *api_key;     /* NULL: none */
	const char *ca;          /* file of certificates; NULL: this machine's */
	uint64_t connect_ms;     /* to connect; 10 s */
	uint64_t stall_ms;       /* for each part of the reply, the first included; 10 minutes */
	uint64_t retry_pause_ms; /* before the retry; 500 ms */
};

enum server_kind { SERVER_OLLAMA, SERVER_OPENAI };

struct server {
	enum server_kind kind;
	struct server_url url;
	struct http_client *http;
	uint64_t connect_ms;
	uint64_t stall_ms;
	uint64_t retry_pause_ms;
	const char *if_no_path; /* the remedy if the server lacks the requested path */
	int cancel_fd;          /* borrowed; -1 */
};

/* Receives the body of an answer with status 200, and reports its progress. */
struct server_taker {
	/* -1: *e says why, or `said` is the server's own error. */
	int (*take)(struct server_taker *t, const char *bytes, size_t length, struct err *e);
	/* The body has ended. */
	int (*finish)(struct server_taker *t, struct err *e);
	/* drop what was received: the answer will start again */
	void (*restart)(struct server_taker *t);
	const struct chat_sink *sink; /* gets an empty piece a few times a second; NULL */
	bool passed_on;               /* a part went to the user: do not repeat the request */
	bool complete;                /* its end was received */
	bool enough;      /* the rest is not wanted, except for bytes already received */
	uint64_t content; /* measure of useful content; see `gradual` */
	bool gradual; /* content arrives gradually: the time limit restarts when `content` grows */
	uint64_t bytes_max; /* of the whole answer; 0: the default (budget.h) */
	char said[1000];    /* the text of an error inside the answer; "" */
};

/* A model behind a server, in either protocol. */
struct server_model {
	struct model model; /* first: a model is this */
	struct server server;
};

/*
 * server_model_open - make a model behind a server; sends nothing yet.
 *
 * @calls  chat, look_up and placement; copied.
 * Returns it, owned: model->free(). NULL: as server_open().
 */
struct model *server_model_open(const struct server_options *options, enum server_kind kind,
				const struct model *calls, struct err *e);

/*
 * ollama_open, openai_open - server_model_open() for Ollama's /api/chat, and for
 * /v1/chat/completions, whose URL may end with /v1.
 */
struct model *ollama_open(const struct server_options *options, struct err *e);
struct model *openai_open(const struct server_options *options, struct err *e);

/*
 * ollama_load - make the server load a model as this request would, and wait until it is loaded.
 * Errors: those of server_open() and server_fetch().
 */
int ollama_load(const struct server_options *options, const struct chat_request *request,
		struct err *e);

/* Return the server's model behind a struct model, with its present cancel_fd. */
struct server_model *server_model(struct model *m);

/*
 * server_open - prepare requests to a server; sends nothing yet.
 *
 * @out  owned: server_close().
 * Errors: ERR_INPUT: an invalid URL or key; ERR_SYSTEM: also an unreadable file of certificates.
 * Nothing must be closed then.
 */
int server_open(const struct server_options *options, enum server_kind kind, struct server *out,
		struct err *e);
void server_close(struct server *s);

/*
 * server_ask - send a request, and pass its answer to the taker.
 *
 * @path   appended to the server's URL.
 * @body   JSON; NULL: GET.
 * @model  named in the request, for messages; NULL.
 * @taker  borrowed until this returns.
 * @why    out, on -1.
 * Errors: all those of refusal.h, and the taker's own.
 */
int server_ask(struct server *s, const char *path, const struct buf *body, const char *model,
	       struct server_taker *taker, enum model_failure *why, struct err *e);

/*
 * server_fetch - server_ask() for an answer that is one JSON document.
 *
 * @sink  as in struct server_taker.
 * @out   owned: json_free().
 */
int server_fetch(struct server *s, const char *path, const struct buf *body, const char *model,
		 const struct chat_sink *sink, struct json **out, enum model_failure *why,
		 struct err *e);

#endif
