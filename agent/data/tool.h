/*
 * tool - the description of the one tool, for a model.
 */
#ifndef GLOVEBOX_AGENT_TOOL_H
#define GLOVEBOX_AGENT_TOOL_H

#include "base/buf.h"

/* Append the list of tools: JSON, the same for every kind of server. */
void tool_describe(struct buf *out);

#endif
