/*
 * mcp_exchange - one message of MCP that came by HTTP, and what is said to it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_EXCHANGE_H
#define GLOVEBOX_SERVE_MCP_EXCHANGE_H

#include "client/hub.h"
#include "mcp/mcp_place.h"
#include "mcp/mcp_rpc.h"
#include "mcp/mcp_session.h"
#include "serve/http.h"
#include "serve/keys.h"
#include "serve/mcp_client.h"

struct mcp_exchange {
	struct server *server;
	struct request *request;   /* NULL: it has been answered, or whoever asked has left */
	struct key *key;           /* held */
	struct mcp_client *client; /* by its Mcp-Session-Id; NULL: it has none */
	/* For sessions that are named by their handles: */
	struct mcp_place place;
	struct mcp_desk desk;
	struct mcp_rpc rpc; /* its owner is the client's desk, or else this one */
	bool takes_events;
	bool has_begun; /* to answer with them */
	unsigned status;
	struct hub_timer later; /* nothing is under way any more */
	struct mcp_exchange *next;
	struct mcp_exchange **at;
};

#endif
