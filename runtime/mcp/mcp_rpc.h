/*
 * mcp_rpc - JSON-RPC 2.0 as MCP uses it: messages in, replies out, over any transport.
 *
 * A connection takes messages (one JSON text each) and answers each to the sink that came with it:
 * stdio has one sink, HTTP one for each request. A table lists the methods. `run` hands the request
 * to its method, which answers at once or later, by exactly one of mcp_request_reply(), _fail() and
 * _drop(), which free it.
 *
 * Messages are bounded and checked before use (base/json_strict.h). Ids and progress tokens are
 * sent back as they were written.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_RPC_H
#define GLOVEBOX_MCP_MCP_RPC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "mcp/mcp_request.h"
#include "mcp/mcp_version.h"

#define MCP_REQUESTS_MOST 64 /* running requests of one connection */

enum mcp_versions {
	MCP_LEGACY = 1 << 0, /* with a handshake */
	MCP_MODERN = 1 << 1,
	MCP_ANY = MCP_LEGACY | MCP_MODERN,
};

struct mcp_method {
	const char *name;
	unsigned versions; /* of enum mcp_versions */
	void (*run)(struct mcp_request *r);
};

/*
 * Callbacks of a transport that needs them: HTTP sends each message with headers of its own, and as
 * a connection of its own. Any callback may be NULL.
 */
struct mcp_transport {
	/* A request begins; its version is not yet known. */
	void (*begin)(struct mcp_request *r);
	/*
	 * A modern request names its version: do its headers agree? false: the request was refused.
	 */
	bool (*agree)(struct mcp_request *r, const char *method, const char *version);
	/* The handshake has chosen a version; the answer has not been sent. */
	void (*greet)(struct mcp_rpc *rpc);
	/*
	 * The client cancels a request, which may be in another of its connections. @id  as
	 * written.
	 */
	void (*cancel)(struct mcp_rpc *rpc, const char *id);
	/* The last running request has ended. */
	void (*emptied)(struct mcp_rpc *rpc);
};

struct mcp_rpc {
	const struct mcp_method *methods;      /* end with a null name */
	void *owner;                           /* for the methods */
	const struct mcp_transport *transport; /* NULL: stdio */
	void *transport_data;                  /* the transport's data */
	const struct mcp_version *version;     /* the handshake's choice; NULL: none yet */
	bool is_modern;                        /* this connection needs no handshake */
	LIST_HEAD(, mcp_request) requests;     /* running */
	size_t count;
	size_t result_most; /* approximate bytes of JSON of one result */
};

/*
 * mcp_rpc_take - handle a message of the client.
 * @text  borrowed for this call only; any bytes.
 */
void mcp_rpc_take(struct mcp_rpc *rpc, const struct mcp_sink *sink, const char *text,
		  size_t length);

/*
 * mcp_rpc_leave - the reader of a sink has disconnected: send nothing more to it, and cancel its
 * requests. @context  of the sink; may be freed on return.
 */
void mcp_rpc_leave(struct mcp_rpc *rpc, const void *context);

/* Cancel the request with that id (as written). An unknown id is a request that has ended. */
void mcp_rpc_cancel(struct mcp_rpc *rpc, const char *id);

/* Send an error for a message that cannot be read, and so has no request. */
void mcp_rpc_complain(const struct mcp_sink *sink, enum mcp_error code, const char *message);

#endif
