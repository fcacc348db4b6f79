/*
 * mcp_request - what is said to a request of a client's: a result, an error, how it goes.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_REQUEST_H
#define GLOVEBOX_MCP_MCP_REQUEST_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"
#include "mcp/mcp_version.h"

#define MCP_META "io.modelcontextprotocol/"

enum mcp_error {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_NO_METHOD = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_HEADER_MISMATCH = -32020, /* over HTTP: they say something else than the body */
	MCP_UNSUPPORTED_VERSION = -32022,
	MCP_NO_RESOURCE = -32002, /* not in modern versions */
};

/* Where what is said goes; copied. The message has no newline in it. */
struct mcp_sink {
	void (*send)(void *context, const struct buf *message);
	void *context;
	/* How it goes, before its end; NULL: that is sent as well. */
	void (*note)(void *context, const struct buf *message);
	/* What is sent next is this error, and nothing else; NULL: nobody cares. */
	void (*failing)(void *context, enum mcp_error code);
};

struct mcp_batch;
struct mcp_rpc;

struct mcp_request {
	struct mcp_rpc *rpc;
	const struct mcp_version *version;
	const struct json *params; /* an object; NULL: none */
	void *work;                /* the method's own */
	/* Set with it: end it, soon, by mcp_request_drop(). */
	void (*cancel)(struct mcp_request *r);
	/* mcp_rpc.c's own */
	struct mcp_sink sink;
	struct mcp_batch *batch;
	struct json *document;
	struct buf id;
	struct buf progress_token;
	double progress;
	bool is_cancelled;
	struct mcp_request *next;
};

/* Begin a result: what every one has, in the version of the request. */
void mcp_result_begin(const struct mcp_request *r, struct buf *out);

/* A whole result: of a tool that failed, in a line for the model. */
void mcp_result_put_failure(const struct mcp_request *r, const char *line, struct buf *out);

enum mcp_cache {
	MCP_STAYS,   /* as long as this server runs, by anybody */
	MCP_CHANGES, /* not at all */
};

/* Whether a result may be kept, where a version has that. */
void mcp_result_put_cache(const struct mcp_request *r, enum mcp_cache cache, struct buf *out);

/* The result, which is a whole object. The request is gone then. */
void mcp_request_reply(struct mcp_request *r, const struct buf *result);

/* An error instead. @data  JSON; NULL: none. */
void mcp_request_fail(struct mcp_request *r, enum mcp_error code, const char *data,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Nobody waits for an answer any more. */
void mcp_request_drop(struct mcp_request *r);

/* Whether the client wants to hear how it goes. */
bool mcp_request_wants_progress(const struct mcp_request *r);

/*
 * mcp_request_progress - tell it, if it does.
 * @progress  more than the last time, or nothing is said. @message  NULL: none.
 */
void mcp_request_progress(struct mcp_request *r, double progress, double total,
			  const char *message);

/*
 * mcp_request_complain - an error where there is no request, because it is wrong.
 * @batch, @id  what is known of it; NULL.
 */
void mcp_request_complain(const struct mcp_sink *sink, struct mcp_batch *batch,
			  const struct buf *id, enum mcp_error code, const char *message);

#endif
