/*
 * ollama - a model of an Ollama server (/api/chat).
 */
#ifndef GLOVEBOX_AGENT_OLLAMA_H
#define GLOVEBOX_AGENT_OLLAMA_H

#include "agent/data/model.h"
#include "agent/server/server.h"

/*
 * ollama_open - prepare to talk to a server; nothing is sent yet.
 *
 * Returns a model that its free() ends, or NULL: ERR_INPUT names what is wrong with the options.
 */
struct model *ollama_open(const struct server_options *options, struct err *e);

#endif
