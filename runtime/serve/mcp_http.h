/*
 * mcp_http - POST /mcp: MCP over streamable HTTP, in all its versions.
 *
 * Each message is a connection of its own (mcp/mcp_rpc.h), freed with its answer. The answer is one
 * JSON text, or, after a progress notification, a stream of events.
 *
 *   disconnect   From 2026-07-28 on it cancels the call. Before, the call goes on, and its result
 *                is dropped.
 *   cancel       Before 2026-07-28 a client cancels by another message. Ids are unique per client
 *                only, so `initialize` gives each client the Mcp-Session-Id (serve/mcp_client.h),
 *                under which it also has sessions of its own.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_HTTP_H
#define GLOVEBOX_SERVE_MCP_HTTP_H

#include "web/http.h"

#define MCP_HTTP_BODY (4u << 20)

/* Routes: a message, and DELETE of a client. */
void mcp_http_run(struct request *r);
void mcp_http_run_end(struct request *r);

/* Shutdown: abandon calls whose clients have disconnected. */
void mcp_http_close(struct server *server);

/* mcp_http_leave - cancel the requests of a key, and end its clients. */
void mcp_http_leave(struct server *server, const struct key *key);

#endif
