/*
 * mcp_reach - text for a model: the hosts, the user's directories and the packages that its code
 * can reach.
 *
 * No side effects. Runs: mcp, serve. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_REACH_H
#define GLOVEBOX_MCP_MCP_REACH_H

#include "mcp/mcp_backend.h"

/* Add whole sentences that JSON need not escape. @backend  NULL: unknown. */
void mcp_reach_put(const struct mcp_backend *backend, struct buf *out);

#endif
