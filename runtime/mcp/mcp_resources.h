/*
 * mcp_resources - the files of sessions, as resources: what a link in a result leads to.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_RESOURCES_H
#define GLOVEBOX_MCP_MCP_RESOURCES_H

#include "mcp/mcp_rpc.h"

/* Methods (mcp_rpc.h): those known from the last calls, how they are named, and one of them. */
void mcp_resources_list(struct mcp_request *r);
void mcp_resources_list_templates(struct mcp_request *r);
void mcp_resources_read(struct mcp_request *r);

#endif
