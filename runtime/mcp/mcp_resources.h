/*
 * mcp_resources - the files of sessions as resources: the targets of links in results.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_RESOURCES_H
#define GLOVEBOX_MCP_MCP_RESOURCES_H

#include "mcp/mcp_rpc.h"

/* Methods (mcp_rpc.h): list the files of the last calls, list the templates, read one file. */
void mcp_resources_list(struct mcp_request *r);
void mcp_resources_list_templates(struct mcp_request *r);
void mcp_resources_read(struct mcp_request *r);

#endif
