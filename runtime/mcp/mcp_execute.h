/*
 * mcp_execute - execute_python: code in a session, and what came of it as text, pictures, links to
 * the files that it left, and one object with everything.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_EXECUTE_H
#define GLOVEBOX_MCP_MCP_EXECUTE_H

#include "mcp/mcp_call.h"

/* Of struct mcp_tool. */
int mcp_execute_read(struct mcp_call *c, struct err *e);
void mcp_execute_reply(struct mcp_call *c);

#endif
