/*
 * ollama_models - list, make and fetch models of an Ollama server.
 *
 * All return 0, or -1 with *why and *e as server_ask() sets them.
 *
 * Runs: the agent. Needs: the network.
 */
#ifndef GLOVEBOX_AGENT_OLLAMA_MODELS_H
#define GLOVEBOX_AGENT_OLLAMA_MODELS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/server/progress.h"
#include "agent/server/server.h"

/* Texts come from the server: escape them for a terminal. */
struct ollama_model {
	char *name;
	char *parameters;   /* "7.6B"; "" */
	char *quantization; /* "Q4_K_M"; "" */
	char *capabilities; /* "completion, tools"; NULL: the server does not say */
	uint64_t size_bytes;
};

struct ollama_models {
	struct ollama_model *rows;
	size_t count;
};

/* List the installed models, 200 at most. *out is owned on success: ollama_models_fini(). */
int ollama_models_list(struct server *s, struct ollama_models *out, enum model_failure *why,
		       struct err *e);
void ollama_models_fini(struct ollama_models *models);

/*
 * ollama_show - get everything that the server reports about one model.
 *
 * @out           owned: json_free().
 * @capabilities  as in struct ollama_model, owned.
 */
int ollama_show(struct server *s, const char *name, struct json **out, char **capabilities,
		enum model_failure *why, struct err *e);

/* Whether a model has this capability. False if the server does not say. */
bool ollama_has_capability(const char *capabilities, const char *capability);

/* Get the version, or "" if the server does not say; *out holds at least 32 bytes. */
int ollama_version(struct server *s, char out[32], enum model_failure *why, struct err *e);

/* Fetch a model from the server's registry, without a time limit. */
int ollama_models_pull(struct server *s, const char *name, struct progress *progress,
		       enum model_failure *why, struct err *e);

/* All borrowed. */
struct ollama_recipe {
	const char *name; /* of the new model */
	const char *from; /* an installed model */
	const char *system;
	double temperature;
	uint64_t num_ctx; /* tokens */
};

/* Make a model from another one, replacing one of the same name. */
int ollama_models_create(struct server *s, const struct ollama_recipe *recipe,
			 struct progress *progress, enum model_failure *why, struct err *e);

#endif
