/*
 * mcp_http - POST /mcp: MCP over streamable HTTP, in all its versions.
 */
#include "serve/mcp_http.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "mcp/mcp_call.h"
#include "mcp/mcp_methods.h"
#include "request/server.h"
#include "serve/mcp_exchange.h"
#include "serve/mcp_header.h"
#include "serve/mcp_permit.h"
#include "web/media_type.h"

#define VERSION_HEADER "MCP-Protocol-Version"
#define CLIENT_HEADER  "Mcp-Session-Id"
#define UNSAID_VERSION "2025-03-26" /* assumed if the client names none */

#define JSON_MOST      (3u << 20) /* bytes of a result */
#define EVENT_MOST                                                                                 \
	(768u << 10)            /* of one that comes as an event: clients refuse more than 1 MiB   \
				 */
#define BATCH_MOST (256u << 10) /* bytes of a result in a batch */

#define JSON_TYPE  "application/json"
#define EVENT_TYPE "text/event-stream"

/* -- life of an exchange --------------------------------------------------------------------- */

static void mcp_http_free(struct mcp_exchange *x)
{
	LIST_REMOVE(x, link);
	hub_silence(x->server->hub, &x->later);
	mcp_connection_leave(&x->connection);
	if (x->client)
		mcp_client_leave(x->client);
	spec_fini(&x->backend.terms);
	key_release(x->key);
	free(x);
}

/* Nothing to answer, or everything was cancelled: end the reply. */
static void mcp_http_finish(struct mcp_exchange *x)
{
	if (x->request && x->has_begun)
		request_end(x->request);
	else if (x->request)
		request_reply(x->request, 202, NULL, NULL);
	mcp_http_free(x);
}

static void mcp_http_look(void *context)
{
	struct mcp_exchange *x = context;

	if (!x->rpc.count)
		mcp_http_finish(x);
}

/* Our caller still uses the exchange: free it in the next turn. */
static void mcp_http_emptied(struct mcp_rpc *rpc)
{
	struct mcp_exchange *x = rpc->transport_data;

	hub_ring(x->server->hub, &x->later, 0);
}

static void mcp_http_abandon(struct request *r)
{
	struct mcp_exchange *x = r->work;

	x->request = NULL;
	if (x->rpc.is_modern)
		mcp_rpc_leave(&x->rpc, x);
}

void mcp_http_close(struct server *server)
{
	struct mcp_exchange *x;

	while ((x = LIST_FIRST(&server->exchanges))) {
		while (!LIST_EMPTY(&x->rpc.requests))
			mcp_call_abandon(LIST_FIRST(&x->rpc.requests));
		mcp_http_free(x);
	}
	mcp_client_close(server);
}

void mcp_http_leave(struct server *server, const struct key *key)
{
	struct mcp_exchange *x;

	LIST_FOREACH (x, &server->exchanges, link) {
		if (x->key == key)
			mcp_rpc_leave(&x->rpc, x);
	}
	mcp_client_end_all(server, key);
}

/* -- replies --------------------------------------------------------------------------------- */

static void mcp_http_send_event(struct mcp_exchange *x, const struct buf *message)
{
	auto_buf struct buf frame = {0};

	buf_text(&frame, "event: message\ndata: ");
	buf_add(&frame, message->data, message->length);
	buf_text(&frame, "\n\n");
	request_send(x->request, frame.data, frame.length);
}

static void mcp_http_send(void *context, const struct buf *message)
{
	struct mcp_exchange *x = context;
	auto_buf struct buf body = {0};
	struct request *r = x->request;

	if (!r)
		return;
	if (x->has_begun) {
		mcp_http_send_event(x, message);
		request_end(r);
	} else {
		buf_add(&body, message->data, message->length);
		request_reply(r, x->status, JSON_TYPE, &body);
	}
	x->request = NULL;
}

static void mcp_http_note(void *context, const struct buf *message)
{
	struct mcp_exchange *x = context;

	if (!x->request || !x->takes_events)
		return;
	if (!x->has_begun) {
		request_set_header(x->request, "Cache-Control", "no-cache");
		request_set_header(x->request, "X-Accel-Buffering", "no");
		request_stream(x->request, 200, EVENT_TYPE);
	}
	x->has_begun = true;
	mcp_http_send_event(x, message);
}

/* A malformed message is a 400 in every version. Modern versions map more errors to statuses. */
static void mcp_http_failing(void *context, enum mcp_error code)
{
	struct mcp_exchange *x = context;
	const bool is_modern = x->rpc.is_modern;

	switch (code) {
	case MCP_PARSE_ERROR:
	case MCP_INVALID_REQUEST:
	case MCP_HEADER_MISMATCH:
	case MCP_UNSUPPORTED_VERSION:
		x->status = 400;
		break;
	case MCP_INVALID_PARAMS:
		x->status = is_modern ? 400 : 200;
		break;
	case MCP_NO_METHOD:
		x->status = is_modern ? 404 : 200;
		break;
	case MCP_NO_RESOURCE:
		break;
	}
}

/* -- headers --------------------------------------------------------------------------------- */

static void mcp_http_begin(struct mcp_request *r)
{
	struct mcp_exchange *x = r->rpc->transport_data;

	x->takes_events &= !r->batch;
	if (r->batch)
		x->rpc.result_most = BATCH_MOST;
	else if (x->takes_events && mcp_request_wants_progress(r))
		x->rpc.result_most = EVENT_MOST;
}

/* Return the expected Mcp-Name; NULL: the method has none. */
static const char *mcp_http_name(const struct mcp_request *r, const char *method)
{
	if (!strcmp(method, "tools/call"))
		return json_string_at(r->params, "name");
	return !strcmp(method, "resources/read") ? json_string_at(r->params, "uri") : NULL;
}

static bool mcp_http_agree(struct mcp_request *r, const char *method, const char *version)
{
	const struct mcp_exchange *x = r->rpc->transport_data;
	const struct {
		const char *name;
		const char *value;
	} headers[] = {
		{VERSION_HEADER, version},
		{          "Mcp-Method",        method       },
		{ "Mcp-Name",       mcp_http_name(r,              method)},
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		const char *name = headers[i].name;
		const char *said = request_header(x->request, name);

		if (request_header_count(x->request, name) > 1) {
			mcp_request_fail(r, MCP_HEADER_MISMATCH, NULL, "%s is there twice", name);
			return false;
		}
		if (headers[i].value && !mcp_header_says(said, headers[i].value)) {
			mcp_request_fail(r, MCP_HEADER_MISMATCH, NULL,
					 "%s does not say what the body says", name);
			return false;
		}
	}
	return true;
}

/* -- clients with an id ---------------------------------------------------------------------- */

static void mcp_http_set_client(struct mcp_exchange *x, struct mcp_client *client)
{
	x->client = client;
	x->rpc.owner = &client->connection;
}

/*
 * Give a new client an id, if there is room; without one its calls share nothing. A client that has
 * an id keeps it.
 */
static void mcp_http_greet(struct mcp_rpc *rpc)
{
	struct mcp_exchange *x = rpc->transport_data;

	if (!x->request || x->has_begun)
		return;
	if (!x->client) {
		struct mcp_client *client = mcp_client_open(x->request, &mcp_permit_policy);

		if (!client)
			return;
		mcp_http_set_client(x, client);
	}
	request_set_header(x->request, CLIENT_HEADER, x->client->id);
}

/* Refuse another key's id like one that never was; the client then initializes anew. */
static void mcp_http_refuse_client(struct request *r, const char *id)
{
	const char *why = mcp_client_why(r, id);

	request_refuse(r, 404, "Unknown " CLIENT_HEADER "%s%s: initialize anew",
		       why ? ", because " : "", why ? why : "");
}

/* Returns whether the message may go on; otherwise it has been answered. */
static bool mcp_http_enter_client(struct mcp_exchange *x)
{
	const char *id = request_header(x->request, CLIENT_HEADER);
	struct mcp_client *client;
	struct err e;

	if (x->rpc.is_modern || !id)
		return true;
	client = mcp_client_find(x->request, id);
	if (!client) {
		mcp_http_refuse_client(x->request, id);
		return false;
	}
	if (mcp_client_enter(client, x->request, &e)) {
		request_refuse(x->request, 422, "%s", e.text);
		return false;
	}
	mcp_http_set_client(x, client);
	return true;
}

static void mcp_http_cancel(struct mcp_rpc *rpc, const char *id)
{
	const struct mcp_exchange *x = rpc->transport_data;
	struct mcp_exchange *y;

	if (!x->client)
		return;
	LIST_FOREACH (y, &x->server->exchanges, link) {
		if (y != x && y->client == x->client)
			mcp_rpc_cancel(&y->rpc, id);
	}
}

void mcp_http_run_end(struct request *r)
{
	const char *id = request_header(r, CLIENT_HEADER);
	struct mcp_client *client = id ? mcp_client_find(r, id) : NULL;
	struct mcp_exchange *x;

	if (!id) {
		request_refuse(r, 400,
			       CLIENT_HEADER " is missing: send the one that initialize gave");
		return;
	}
	if (!client) {
		mcp_http_refuse_client(r, id);
		return;
	}
	LIST_FOREACH (x, &r->server->exchanges, link) {
		if (x->client == client)
			mcp_rpc_leave(&x->rpc, x);
	}
	mcp_client_end(client, NULL);
	request_reply(r, 204, NULL, NULL);
}

static const struct mcp_transport mcp_http_carrier = {
	.begin = mcp_http_begin,
	.agree = mcp_http_agree,
	.greet = mcp_http_greet,
	.cancel = mcp_http_cancel,
	.emptied = mcp_http_emptied,
};

/* -- start of an exchange -------------------------------------------------------------------- */

static void mcp_http_choose_version(struct mcp_exchange *x)
{
	const char *said = request_header(x->request, VERSION_HEADER);
	const struct mcp_version *version = mcp_version_find(said ? said : UNSAID_VERSION);

	x->rpc.is_modern = !version || version->is_modern;
	x->rpc.version = x->rpc.is_modern ? NULL : version;
}

static struct mcp_exchange *mcp_http_open(struct request *r)
{
	struct mcp_exchange *x = own_zeroed(1, sizeof(*x));

	x->server = r->server;
	x->request = r;
	x->key = r->key;
	key_hold(x->key);
	x->status = 200;
	x->takes_events = media_type_is_accepted(request_header(r, "Accept"), EVENT_TYPE);
	x->later = (struct hub_timer){.ring = mcp_http_look, .context = x};
	x->rpc = (struct mcp_rpc){.methods = mcp_methods,
				  .owner = &x->connection,
				  .transport = &mcp_http_carrier,
				  .transport_data = x,
				  .result_most = JSON_MOST};
	mcp_connection_open(&x->connection, &x->backend, &mcp_permit_policy, false);
	LIST_INSERT_HEAD(&x->server->exchanges, x, link);
	mcp_http_choose_version(x);
	r->work = x;
	r->abandon = mcp_http_abandon;
	return x;
}

/* Returns whether the message may go on; otherwise it has been answered. */
static bool mcp_http_is_right(struct mcp_exchange *x, struct request *r)
{
	struct err e;

	if (!media_type_is(request_header(r, "Content-Type"), JSON_TYPE))
		request_refuse(r, 415, "Content-Type must be " JSON_TYPE);
	else if (!media_type_is_accepted(request_header(r, "Accept"), JSON_TYPE))
		request_refuse(r, 406, "Accept must have " JSON_TYPE " and " EVENT_TYPE);
	else if (mcp_client_backend(r, &x->backend, &e))
		request_refuse(r, 422, "%s", e.text);
	else
		return mcp_http_enter_client(x);
	return false;
}

void mcp_http_run(struct request *r)
{
	struct mcp_exchange *x = mcp_http_open(r);
	const struct mcp_sink sink = {.send = mcp_http_send,
				      .context = x,
				      .note = mcp_http_note,
				      .failing = mcp_http_failing};

	if (!mcp_http_is_right(x, r)) {
		mcp_http_free(x);
		return;
	}
	mcp_rpc_take(&x->rpc, &sink, buf_string(&r->body), r->body.length);
	if (!x->rpc.count)
		mcp_http_finish(x);
}
