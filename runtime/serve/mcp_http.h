/*
 * mcp_http - POST /mcp: MCP over streamable HTTP, in all its versions.
 *
 * Each message is a connection of its own (mcp/mcp_rpc.h), and is forgotten with its answer. That
 * is one JSON text, unless something is said before it (progress): then both come as events.
 *
 *   who leaves   From 2026-07-28 on, that is how a call is cancelled. Before, it is not: the call
 *                goes on, and nobody hears of it.
 *   who cancels  Before 2026-07-28 a client cancels by a message of its own. Ids are each client's,
 *                so a client needs a name: `initialize` gives it one, the Mcp-Session-Id
 *                (serve/mcp_client.h), under which it has sessions of its own, too.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_HTTP_H
#define GLOVEBOX_SERVE_MCP_HTTP_H

#include "serve/http.h"

#define MCP_HTTP_BODY (4u << 20)

/* The routes: a message, and the end of a client. */
void mcp_http_run(struct request *r);
void mcp_http_run_end(struct request *r);

/* Give up what goes on for those who have left. */
void mcp_http_close(struct server *server);

/* mcp_http_leave - cancel the requests of this key, and end its clients. */
void mcp_http_leave(struct server *server, const struct key *key);

#endif
