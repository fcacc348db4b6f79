/*
 * mcp_scan - scan the files of a session before and after a call, to report new ones.
 *
 * Runs: mcp, serve. Needs: nothing beyond what a call needs.
 */
#ifndef GLOVEBOX_MCP_MCP_SCAN_H
#define GLOVEBOX_MCP_MCP_SCAN_H

#include "mcp/mcp_call.h"

/* Whether this call needs the scan. */
bool mcp_scan_is_wanted(const struct mcp_call *c);

/* Start a scan: c->notebook, until `done`, which calls mcp_scan_end(). -1: it cannot start. */
int mcp_scan_start(struct mcp_call *c, void (*done)(void *context));

/* Store the listing in the session; after a failed scan the old listing stays. */
void mcp_scan_end(struct mcp_call *c);

#endif
