/*
 * mcp_tools - the table of tools: how each works, and its description for clients and models.
 *
 * tools.json beside this file, compiled in, has the descriptions. Clients check arguments and
 * results by its schemas, so these must agree with what the tools read and write.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_TOOLS_H
#define GLOVEBOX_MCP_MCP_TOOLS_H

#include "mcp/mcp_call.h"

/* NULL: unknown name. */
const struct mcp_tool *mcp_tool_find(const char *name);

/* Put the list of tools under "tools", as the request's version has it. */
void mcp_tools_put(const struct mcp_connection *connection, const struct mcp_version *version,
		   struct buf *out);

#endif
