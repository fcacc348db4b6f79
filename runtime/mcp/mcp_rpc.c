/*
 * mcp_rpc - JSON-RPC 2.0 as MCP uses it: messages in, replies out, over any transport.
 */
#include "mcp/mcp_rpc.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_escape.h"
#include "base/json_put.h"
#include "base/json_span.h"
#include "base/json_strict.h"
#include "base/own.h"
#include "mcp/mcp_batch.h"

#define VALUES_MOST 100000 /* of one message */
#define ID_MOST     1024   /* bytes of its JSON */

void mcp_rpc_complain(const struct mcp_sink *sink, enum mcp_error code, const char *message)
{
	mcp_request_complain(sink, NULL, NULL, code, message);
}

/* -- versions of requests -------------------------------------------------------------------- */

static void mcp_rpc_refuse_version(struct mcp_request *r, const char *name)
{
	auto_buf struct buf data = {0};

	json_put_begin(&data, NULL, '{');
	mcp_version_put(&data, "supported", false);
	json_put_text(&data, "requested", name);
	json_put_end(&data, '}');
	mcp_request_fail(r, MCP_UNSUPPORTED_VERSION, buf_string(&data),
			 "Unsupported protocol version");
}

/* A request that names its version is modern, whatever came before it; `initialize` never is. */
static bool mcp_rpc_is_modern(const struct mcp_rpc *rpc, const char *method, bool says_version)
{
	if (rpc->is_modern)
		return true;
	return strcmp(method, "initialize") != 0 &&
	       (says_version || !strcmp(method, "server/discover"));
}

static bool mcp_rpc_agrees(struct mcp_request *r, const char *method, const char *version)
{
	const struct mcp_transport *transport = r->rpc->transport;

	return !transport || !transport->agree || transport->agree(r, method, version);
}

/* Returns whether the request may go on; otherwise it has been answered. */
static bool mcp_rpc_choose_version(struct mcp_request *r, const char *method)
{
	const struct json *meta = r->params ? json_get(r->params, "_meta") : NULL;
	const struct json *said = json_get(meta, MCP_META "protocolVersion");
	const char *name = said ? json_string(said) : NULL;

	r->version = r->rpc->version ? r->rpc->version : mcp_version_of_handshake();
	if (!mcp_rpc_is_modern(r->rpc, method, said != NULL))
		return true;
	if (!name) {
		mcp_request_fail(r, MCP_INVALID_PARAMS, NULL,
				 "params._meta must have " MCP_META "protocolVersion, a string");
		return false;
	}
	if (!mcp_rpc_agrees(r, method, name))
		return false;
	r->version = mcp_version_find(name);
	if (!r->version || !r->version->is_modern) {
		mcp_rpc_refuse_version(r, name);
		return false;
	}
	if (json_is_object(json_get(meta, MCP_META "clientCapabilities")))
		return true;
	mcp_request_fail(r, MCP_INVALID_PARAMS, NULL,
			 "params._meta must have " MCP_META "clientCapabilities, an object");
	return false;
}

static void mcp_rpc_dispatch(struct mcp_request *r, const char *name)
{
	const unsigned wanted = r->version->is_modern ? MCP_MODERN : MCP_LEGACY;

	for (const struct mcp_method *m = r->rpc->methods; m->name; m++) {
		if ((m->versions & wanted) && !strcmp(m->name, name)) {
			m->run(r);
			return;
		}
	}
	mcp_request_fail(r, MCP_NO_METHOD, NULL, "Method not found: %.100s", name);
}

/* -- messages -------------------------------------------------------------------------------- */

/* One message; valid during the call that reads it. */
struct message {
	const struct mcp_sink *sink;
	struct mcp_batch *batch;
	struct json_span text;
	struct json *document; /* owned, until a request takes it */
	const char *method;
	const struct json *params;
	struct buf id;
};

static bool mcp_rpc_is_whole(struct json_span number)
{
	size_t i = number.length && *number.text == '-';

	while (i < number.length && number.text[i] >= '0' && number.text[i] <= '9')
		i++;
	return i == number.length;
}

/* Copy an id or a token as it was written: a string or a whole number. */
static bool mcp_rpc_copy_id(struct json_span span, struct buf *out)
{
	if (!span.text || span.length > ID_MOST || (*span.text != '"' && !mcp_rpc_is_whole(span)))
		return false;
	buf_add(out, span.text, span.length);
	return true;
}

static void mcp_rpc_begin_request(struct mcp_rpc *rpc, struct message *m)
{
	struct json_span params = json_span_member(m->text, "params");
	struct mcp_request *r = own_zeroed(1, sizeof(*r));

	r->rpc = rpc;
	r->sink = *m->sink;
	r->batch = mcp_batch_enter(m->batch);
	r->params = m->params;
	r->document = m->document;
	r->id = m->id;
	(void)mcp_rpc_copy_id(json_span_member(json_span_member(params, "_meta"), "progressToken"),
			      &r->progress_token);
	m->document = NULL;
	m->id = (struct buf){0};
	LIST_INSERT_HEAD(&rpc->requests, r, link);
	rpc->count++;
	if (rpc->transport && rpc->transport->begin)
		rpc->transport->begin(r);
	if (mcp_rpc_choose_version(r, m->method))
		mcp_rpc_dispatch(r, m->method);
}

void mcp_rpc_cancel(struct mcp_rpc *rpc, const char *id)
{
	struct mcp_request *r = LIST_FIRST(&rpc->requests);

	while (r && (r->is_cancelled || strcmp(buf_string(&r->id), id) != 0))
		r = LIST_NEXT(r, link);
	if (!r || !r->cancel)
		return;
	r->is_cancelled = true;
	r->cancel(r);
}

static void mcp_rpc_take_cancel(struct mcp_rpc *rpc, const struct message *m)
{
	struct json_span params = json_span_member(m->text, "params");
	auto_buf struct buf id = {0};

	if (!mcp_rpc_copy_id(json_span_member(params, "requestId"), &id))
		return;
	mcp_rpc_cancel(rpc, buf_string(&id));
	if (rpc->transport && rpc->transport->cancel)
		rpc->transport->cancel(rpc, buf_string(&id));
}

static void mcp_rpc_say_nothing(void *context, const struct buf *message)
{
	(void)context;
	(void)message;
}

/* A cancelled request may free others: restart the scan after each. */
void mcp_rpc_leave(struct mcp_rpc *rpc, const void *context)
{
	const struct mcp_sink nobody = {.send = mcp_rpc_say_nothing};
	struct mcp_request *r = LIST_FIRST(&rpc->requests);

	while (r) {
		if (r->sink.context != context || r->sink.send == mcp_rpc_say_nothing) {
			r = LIST_NEXT(r, link);
			continue;
		}
		r->sink = nobody;
		mcp_batch_redirect(r->batch, &nobody);
		if (!r->is_cancelled && r->cancel) {
			r->is_cancelled = true;
			r->cancel(r);
		}
		r = LIST_FIRST(&rpc->requests);
	}
}

static void mcp_rpc_complain_of_message(const struct message *m, enum mcp_error code,
					const char *text)
{
	mcp_request_complain(m->sink, m->batch, &m->id, code, text);
}

static void mcp_rpc_take_object(struct mcp_rpc *rpc, struct message *m)
{
	struct json_span id = json_span_member(m->text, "id");
	const char *version = json_string_at(m->document, "jsonrpc");
	const struct json *params = json_get(m->document, "params");
	bool has_id = mcp_rpc_copy_id(id, &m->id);

	m->method = json_string_at(m->document, "method");
	m->params = params;
	if (!m->method && (json_get(m->document, "result") || json_get(m->document, "error")))
		return; /* an answer, although we never ask */
	if (!m->method || !version || strcmp(version, "2.0") != 0)
		mcp_rpc_complain_of_message(m, MCP_INVALID_REQUEST, "Not a JSON-RPC 2.0 request");
	else if (id.text && !has_id)
		mcp_rpc_complain_of_message(m, MCP_INVALID_REQUEST,
					    "The id must be a string or a whole number");
	else if (params && !json_is_object(params) && has_id)
		mcp_rpc_complain_of_message(m, MCP_INVALID_PARAMS, "params must be an object");
	else if (has_id && rpc->count >= MCP_REQUESTS_MOST)
		mcp_rpc_complain_of_message(m, MCP_INVALID_REQUEST,
					    "Too many requests are under way: ask again later");
	else if (has_id)
		mcp_rpc_begin_request(rpc, m);
	else if (!strcmp(m->method, "notifications/cancelled"))
		mcp_rpc_take_cancel(rpc, m);
}

static void mcp_rpc_take_one(struct mcp_rpc *rpc, const struct mcp_sink *sink,
			     struct mcp_batch *batch, struct json_span text)
{
	struct message m = {.sink = sink, .batch = batch, .text = text};
	struct err e;

	m.document = json_parse(text.text, text.length, &e);
	if (!m.document || !json_is_object(m.document))
		mcp_rpc_complain_of_message(&m, MCP_INVALID_REQUEST, "Not a JSON-RPC 2.0 request");
	else
		mcp_rpc_take_object(rpc, &m);
	json_free(m.document);
	buf_fini(&m.id);
}

static void mcp_rpc_take_batch(struct mcp_rpc *rpc, const struct mcp_sink *sink,
			       struct json_span all)
{
	struct mcp_batch *batch = mcp_batch_enter(mcp_batch_new(sink));
	struct json_span one = {0};

	while ((one = json_span_next(all, one)).text)
		mcp_rpc_take_one(rpc, sink, batch, one);
	mcp_batch_leave(batch);
}

/*
 * A NUL or half a character in a string makes the JSON unusable: refuse it under its id, since the
 * client would otherwise wait for ever.
 */
static void mcp_rpc_refuse_text(const struct mcp_sink *sink, const char *text, size_t length,
				const struct err *why)
{
	auto_buf struct buf repaired = {0};
	auto_buf struct buf id = {0};
	struct err e;

	buf_add(&repaired, text, length);
	if (repaired.length)
		json_repair(repaired.data, repaired.length);
	if (json_check_strict(buf_string(&repaired), repaired.length, VALUES_MOST, &e)) {
		mcp_rpc_complain(sink, MCP_PARSE_ERROR, why->text);
		return;
	}
	(void)mcp_rpc_copy_id(json_span_member(json_span_of(repaired.data, repaired.length), "id"),
			      &id);
	mcp_request_complain(sink, NULL, &id, MCP_INVALID_PARAMS,
			     "A string has a NUL or half a surrogate pair in it");
}

void mcp_rpc_take(struct mcp_rpc *rpc, const struct mcp_sink *sink, const char *text, size_t length)
{
	size_t mark = json_byte_order_mark(text, length);
	struct json_span all;
	struct err e;

	text += mark;
	length -= mark;
	if (json_check_strict(text, length, VALUES_MOST, &e)) {
		mcp_rpc_refuse_text(sink, text, length, &e);
		return;
	}
	all = json_span_of(text, length);
	if (*all.text != '[')
		mcp_rpc_take_one(rpc, sink, NULL, all);
	else if (rpc->version && rpc->version->has_batches &&
		 json_span_next(all, (struct json_span){0}).text)
		mcp_rpc_take_batch(rpc, sink, all);
	else
		mcp_rpc_complain(sink, MCP_INVALID_REQUEST,
				 "This version of the protocol has no batches");
}
