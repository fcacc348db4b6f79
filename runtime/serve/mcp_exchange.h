/*
 * mcp_exchange - one message of MCP over HTTP, and its reply.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_EXCHANGE_H
#define GLOVEBOX_SERVE_MCP_EXCHANGE_H

#include <sys/queue.h>

#include "client/hub.h"
#include "mcp/mcp_backend.h"
#include "mcp/mcp_rpc.h"
#include "mcp/mcp_session.h"
#include "serve/mcp_client.h"
#include "tenant/keys.h"
#include "web/http.h"

struct mcp_exchange {
	struct server *server;
	struct request *request;   /* NULL: answered, or the client disconnected */
	struct key *key;           /* held */
	struct mcp_client *client; /* by Mcp-Session-Id; NULL: without */
	/* Backend and connection for sessions that are named by handles: */
	struct mcp_backend backend;
	struct mcp_connection connection;
	struct mcp_rpc rpc; /* its owner is the client's connection, or this one */
	bool takes_events;
	bool has_begun; /* the reply is a stream of events */
	unsigned status;
	struct hub_timer later;        /* ends the exchange when no request is running */
	LIST_ENTRY(mcp_exchange) link; /* of server->exchanges */
};

#endif
