/*
 * mcp_rpc - JSON-RPC 2.0 as MCP uses it: messages in, replies out, whatever carries them.
 *
 * A connection takes messages (one JSON text each) and answers each of them to the sink that came
 * with it: stdio has one sink for all, HTTP one for each request. Which methods there are, a table
 * says. A request belongs to its method from `run` on: it is answered at once or later, by exactly
 * one of mcp_request_reply(), _fail() and _drop(), which free it.
 *
 * What a client sends is bounded and checked before it is used (base/json_strict.h). Ids and
 * progress tokens go back as they were written.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_RPC_H
#define GLOVEBOX_MCP_MCP_RPC_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/mcp_request.h"
#include "mcp/mcp_version.h"

#define MCP_REQUESTS_MOST 64 /* of one connection, under way */

enum mcp_era {
	MCP_LEGACY = 1 << 0, /* with a handshake */
	MCP_MODERN = 1 << 1,
	MCP_ANY = MCP_LEGACY | MCP_MODERN,
};

struct mcp_method {
	const char *name;
	unsigned eras; /* of enum mcp_era */
	void (*run)(struct mcp_request *r);
};

/*
 * What carries the messages, where that is not all the same: HTTP brings each with headers of its
 * own, and in a connection of its own. A function that is NULL has nothing to say.
 */
struct mcp_carrier {
	/* A request begins; its version is not known yet. */
	void (*begin)(struct mcp_request *r);
	/* A modern one says this version: does what came with it agree? false: it was refused. */
	bool (*agree)(struct mcp_request *r, const char *method, const char *version);
	/* The handshake has chosen a version, and is about to be answered. */
	void (*greet)(struct mcp_rpc *rpc);
	/* A client cancels what may be in another connection of its own, too. @id  as written. */
	void (*cancel)(struct mcp_rpc *rpc, const char *id);
	/* Nothing is under way any more. */
	void (*emptied)(struct mcp_rpc *rpc);
};

struct mcp_rpc {
	const struct mcp_method *methods;  /* end with a null name */
	void *owner;                       /* for the methods */
	const struct mcp_carrier *carrier; /* NULL: it is all the same */
	void *carriage;                    /* the carrier's */
	const struct mcp_version *version; /* that the handshake chose; NULL: none yet */
	bool is_modern;                    /* there is no handshake here */
	struct mcp_request *requests;      /* under way */
	size_t count;
	size_t result_most; /* bytes of JSON that one result may have, about */
};

/*
 * mcp_rpc_take - a message of the client's.
 * @text  borrowed for this call only; any bytes.
 */
void mcp_rpc_take(struct mcp_rpc *rpc, const struct mcp_sink *sink, const char *text,
		  size_t length);

/*
 * mcp_rpc_leave - who listened to a sink has left: nothing is said to it any more, and what was
 * asked there is cancelled. @context  of the sink; it may be gone on return.
 */
void mcp_rpc_leave(struct mcp_rpc *rpc, const void *context);

/* Nobody waits for the request of that id (as it was written) any more. Unknown ones are over. */
void mcp_rpc_cancel(struct mcp_rpc *rpc, const char *id);

/* An error that belongs to no request, because it cannot be read. */
void mcp_rpc_complain(const struct mcp_sink *sink, enum mcp_error code, const char *message);

#endif
