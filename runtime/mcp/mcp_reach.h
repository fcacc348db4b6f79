/*
 * mcp_reach - what a model is told of what its code can reach: hosts, the user's directories, and
 * packages.
 *
 * No side effects. Runs: mcp, serve. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_REACH_H
#define GLOVEBOX_MCP_MCP_REACH_H

#include "mcp/mcp_place.h"

/* Add whole sentences, without what JSON would escape. @place  NULL: it is not known. */
void mcp_reach_put(const struct mcp_place *place, struct buf *out);

#endif
