/*
 * mcp_request - replies to a request of a client: result, error, progress.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_REQUEST_H
#define GLOVEBOX_MCP_MCP_REQUEST_H

#include <stdbool.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/json.h"
#include "mcp/mcp_version.h"

#define MCP_META "io.modelcontextprotocol/"

enum mcp_error {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_NO_METHOD = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_HEADER_MISMATCH = -32020, /* over HTTP: headers contradict the body */
	MCP_UNSUPPORTED_VERSION = -32022,
	MCP_NO_RESOURCE = -32002, /* legacy versions only */
};

/* Receiver of messages, which have no newline; copied. */
struct mcp_sink {
	void (*send)(void *context, const struct buf *message);
	void *context;
	/* A notification of progress; NULL: use `send`. */
	void (*note)(void *context, const struct buf *message);
	/* The next message sent is this error, and the last; NULL: not wanted. */
	void (*failing)(void *context, enum mcp_error code);
};

struct mcp_batch;
struct mcp_rpc;

struct mcp_request {
	struct mcp_rpc *rpc;
	const struct mcp_version *version;
	const struct json *params; /* an object; NULL: none */
	void *work;                /* the method's data */
	/* Set together with `work`: end the request soon, by mcp_request_drop(). */
	void (*cancel)(struct mcp_request *r);
	/* private to mcp_rpc.c */
	struct mcp_sink sink;
	struct mcp_batch *batch;
	struct json *document;
	struct buf id;
	struct buf progress_token;
	double progress;
	bool is_cancelled;
	LIST_ENTRY(mcp_request) link; /* of rpc->requests */
};

/* Begin a result with the members of every result in the request's version. */
void mcp_result_begin(const struct mcp_request *r, struct buf *out);

/* Put a whole result: a tool failed, and @line tells the model why. */
void mcp_result_put_failure(const struct mcp_request *r, const char *line, struct buf *out);

enum mcp_cache {
	MCP_STAYS,   /* as long as this server runs, for all clients */
	MCP_CHANGES, /* not cacheable */
};

/* Whether clients may cache a result, in versions that say so. */
void mcp_result_put_cache(const struct mcp_request *r, enum mcp_cache cache, struct buf *out);

/* Send the result, a whole object, and free the request. */
void mcp_request_reply(struct mcp_request *r, const struct buf *result);

/* Send an error and free the request. @data  JSON; NULL: none. */
void mcp_request_fail(struct mcp_request *r, enum mcp_error code, const char *data,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Free the request without an answer. */
void mcp_request_drop(struct mcp_request *r);

/* Whether the client wants progress. */
bool mcp_request_wants_progress(const struct mcp_request *r);

/*
 * mcp_request_progress - notify a client that wants progress.
 * @progress  must exceed the last value, or nothing is sent. @message  NULL: none.
 */
void mcp_request_progress(struct mcp_request *r, double progress, double total,
			  const char *message);

/*
 * mcp_request_complain - send an error for a message that is not a valid request.
 * @batch, @id  if known; NULL.
 */
void mcp_request_complain(const struct mcp_sink *sink, struct mcp_batch *batch,
			  const struct buf *id, enum mcp_error code, const char *message);

#endif
