/*
 * request - the parts of a request that all servers share, as JSON.
 */
#ifndef GLOVEBOX_AGENT_REQUEST_H
#define GLOVEBOX_AGENT_REQUEST_H

#include "agent/data/chat.h"

enum request_arguments { REQUEST_OBJECTS, REQUEST_STRINGS };

/*
 * request_messages - append the member "messages" to the current object.
 *
 * @arguments  how the arguments of tool calls are written: Ollama refuses strings, OpenAI accepts
 *             nothing else.
 */
void request_messages(const struct chat_request *r, enum request_arguments arguments,
		      struct buf *out);

#endif
