/*
 * mcp_methods - what a client of MCP may ask of us, as methods of mcp_rpc.h.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_METHODS_H
#define GLOVEBOX_MCP_MCP_METHODS_H

#include "mcp/mcp_rpc.h"

/* The owner of a connection that has these is its struct mcp_desk. Ends with a null name. */
extern const struct mcp_method mcp_methods[];

#endif
