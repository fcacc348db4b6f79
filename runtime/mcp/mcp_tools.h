/*
 * mcp_tools - which tools there are: how each works, and what clients and models are told of it.
 *
 * The latter is tools.json beside this file, compiled in. Clients check arguments and results by
 * its schemas, so these and what the tools read and write must agree.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_TOOLS_H
#define GLOVEBOX_MCP_MCP_TOOLS_H

#include "mcp/mcp_call.h"

/* NULL: there is none of that name. */
const struct mcp_tool *mcp_tool_find(const char *name);

/* The list of them under "tools", as the version of a request has it. */
void mcp_tools_put(const struct mcp_desk *desk, const struct mcp_version *version, struct buf *out);

#endif
