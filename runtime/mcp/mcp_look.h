/*
 * mcp_look - which files a session has, before and after a call: what is new is told.
 *
 * Runs: mcp, serve. Needs: nothing beyond what a call needs.
 */
#ifndef GLOVEBOX_MCP_MCP_LOOK_H
#define GLOVEBOX_MCP_MCP_LOOK_H

#include "mcp/mcp_call.h"

/* Whether that counts for this call. */
bool mcp_look_is_wanted(const struct mcp_call *c);

/* Look: c->notebook, until `done`, which calls mcp_look_end(). -1: it cannot be. */
int mcp_look_start(struct mcp_call *c, void (*done)(void *context));

/* What was found is the listing of the session from now on; if nothing was, the old one stays. */
void mcp_look_end(struct mcp_call *c);

#endif
