/*
 * mcp_execute - execute_python: run code in a session, and return text, pictures, links to new
 * files, and one object with all of it.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_EXECUTE_H
#define GLOVEBOX_MCP_MCP_EXECUTE_H

#include "mcp/mcp_call.h"

/* Functions of struct mcp_tool. */
int mcp_execute_read(struct mcp_call *c, struct err *e);
void mcp_execute_reply(struct mcp_call *c);

#endif
