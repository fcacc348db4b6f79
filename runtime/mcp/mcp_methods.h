/*
 * mcp_methods - the methods of MCP that this server offers (mcp_rpc.h).
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_METHODS_H
#define GLOVEBOX_MCP_MCP_METHODS_H

#include "mcp/mcp_rpc.h"

/* A connection with these methods has a struct mcp_connection as its owner. Ends with a null name.
 */
extern const struct mcp_method mcp_methods[];

#endif
