/*
 * openai - a model of a server that speaks /v1/chat/completions: llama.cpp, vLLM, LM
 * Studio, and Ollama too.
 *
 * There is no num_ctx and no keep_alive in this protocol; both are left out.
 */
#ifndef GLOVEBOX_AGENT_OPENAI_H
#define GLOVEBOX_AGENT_OPENAI_H

#include "agent/data/model.h"
#include "agent/server/server.h"

/*
 * openai_open - prepare to talk to a server; nothing is sent yet.
 *
 * @options  the URL may end with /v1 or not.
 * Returns a model that its free() ends, or NULL: ERR_INPUT names what is wrong with the options.
 */
struct model *openai_open(const struct server_options *options, struct err *e);

#endif
