/*
 * mcp_permit - the policy (mcp/mcp_policy.h) for clients over HTTP: it finds the owner of a
 * session, admits calls, and counts and records them.
 *
 * The handle of a session proves its owner (tenant/handle.h); the session is in the supervisor, and
 * /v1/sessions lists it as well. No table of sessions is kept here.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_PERMIT_H
#define GLOVEBOX_SERVE_MCP_PERMIT_H

#include "mcp/mcp_policy.h"

/* For connections whose transport data is a struct mcp_exchange. */
extern const struct mcp_policy mcp_permit_policy;

#endif
