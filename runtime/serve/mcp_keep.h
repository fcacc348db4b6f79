/*
 * mcp_keep - the house (mcp/mcp_house.h) of those who come by HTTP: whose a session is, who may
 * run now, and what is counted and written down of it.
 *
 * A session is the supervisor's, under its handle, which says whose it is (serve/handle.h); it is
 * the same one that /v1/sessions knows. Nothing of it is remembered here.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_KEEP_H
#define GLOVEBOX_SERVE_MCP_KEEP_H

#include "mcp/mcp_house.h"

/* Of desks whose rpc has a struct mcp_exchange as its carriage. */
extern const struct mcp_house mcp_keep_house;

#endif
