/*
 * mcp_request - replies to a request of a client: result, error, progress.
 */
#include "mcp/mcp_request.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/json_put.h"
#include "mcp/mcp_batch.h"
#include "mcp/mcp_rpc.h"

#define DAY_MS 86400000

static void mcp_request_send(const struct mcp_sink *sink, const struct buf *message)
{
	sink->send(sink->context, message);
}

static void mcp_request_put_head(struct buf *out, const struct buf *id)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "jsonrpc", "2.0");
	json_put_key(out, "id");
	buf_text(out, id && id->length ? buf_string(id) : "null");
}

static void mcp_request_put_error(struct buf *out, const struct buf *id, enum mcp_error code,
				  const char *message, const char *data)
{
	mcp_request_put_head(out, id);
	json_put_begin(out, "error", '{');
	json_put_int(out, "code", code);
	json_put_text(out, "message", message);
	if (data) {
		json_put_key(out, "data");
		buf_text(out, data);
	}
	json_put_end(out, '}');
	json_put_end(out, '}');
}

/* Send an answer, or add it to its batch. @code  of an error; else 0. */
static void mcp_request_answer(const struct mcp_sink *sink, struct mcp_batch *batch,
			       const struct buf *message, int code)
{
	if (code && !batch && sink->failing)
		sink->failing(sink->context, (enum mcp_error)code);
	if (batch)
		mcp_batch_add(batch, message);
	else
		mcp_request_send(sink, message);
}

void mcp_request_complain(const struct mcp_sink *sink, struct mcp_batch *batch,
			  const struct buf *id, enum mcp_error code, const char *message)
{
	auto_buf struct buf out = {0};

	mcp_request_put_error(&out, id, code, message, NULL);
	mcp_request_answer(sink, batch, &out, code);
}

void mcp_request_drop(struct mcp_request *r)
{
	struct mcp_rpc *rpc = r->rpc;

	LIST_REMOVE(r, link);
	rpc->count--;
	mcp_batch_leave(r->batch);
	json_free(r->document);
	buf_fini(&r->id);
	buf_fini(&r->progress_token);
	free(r);
	if (!rpc->count && rpc->transport && rpc->transport->emptied)
		rpc->transport->emptied(rpc);
}

void mcp_request_reply(struct mcp_request *r, const struct buf *result)
{
	auto_buf struct buf out = {0};

	mcp_request_put_head(&out, &r->id);
	json_put_key(&out, "result");
	buf_add(&out, result->data, result->length);
	json_put_end(&out, '}');
	if (!r->is_cancelled)
		mcp_request_answer(&r->sink, r->batch, &out, 0);
	mcp_request_drop(r);
}

void mcp_request_fail(struct mcp_request *r, enum mcp_error code, const char *data,
		      const char *format, ...)
{
	auto_buf struct buf message = {0};
	auto_buf struct buf out = {0};
	va_list arguments;

	va_start(arguments, format);
	buf_vprintf(&message, format, arguments);
	va_end(arguments);
	mcp_request_put_error(&out, &r->id, code, buf_string(&message), data);
	if (!r->is_cancelled)
		mcp_request_answer(&r->sink, r->batch, &out, code);
	mcp_request_drop(r);
}

bool mcp_request_wants_progress(const struct mcp_request *r)
{
	return r->progress_token.length > 0;
}

void mcp_request_progress(struct mcp_request *r, double progress, double total, const char *message)
{
	auto_buf struct buf out = {0};

	if (!mcp_request_wants_progress(r) || r->is_cancelled || progress <= r->progress)
		return;
	r->progress = progress;
	json_put_begin(&out, NULL, '{');
	json_put_text(&out, "jsonrpc", "2.0");
	json_put_text(&out, "method", "notifications/progress");
	json_put_begin(&out, "params", '{');
	json_put_key(&out, "progressToken");
	buf_add(&out, r->progress_token.data, r->progress_token.length);
	json_put_key(&out, "progress");
	json_write_number(progress, &out);
	json_put_key(&out, "total");
	json_write_number(total, &out);
	if (message)
		json_put_text(&out, "message", message);
	json_put_end(&out, '}');
	json_put_end(&out, '}');
	if (r->sink.note)
		r->sink.note(r->sink.context, &out);
	else
		mcp_request_send(&r->sink, &out);
}

void mcp_result_begin(const struct mcp_request *r, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	if (!r->version->is_modern)
		return;
	json_put_text(out, "resultType", "complete");
	json_put_begin(out, "_meta", '{');
	json_put_begin(out, MCP_META "serverInfo", '{');
	json_put_text(out, "name", "glovebox");
	json_put_text(out, "version", GLOVEBOX_VERSION);
	json_put_end(out, '}');
	json_put_end(out, '}');
}

void mcp_result_put_failure(const struct mcp_request *r, const char *line, struct buf *out)
{
	mcp_result_begin(r, out);
	json_put_begin(out, "content", '[');
	json_put_begin(out, NULL, '{');
	json_put_text(out, "type", "text");
	json_put_text(out, "text", line);
	json_put_end(out, '}');
	json_put_end(out, ']');
	json_put_bool(out, "isError", true);
	json_put_end(out, '}');
}

void mcp_result_put_cache(const struct mcp_request *r, enum mcp_cache cache, struct buf *out)
{
	if (!r->version->is_modern)
		return;
	json_put_uint(out, "ttlMs", cache == MCP_STAYS ? DAY_MS : 0);
	json_put_text(out, "cacheScope", cache == MCP_STAYS ? "public" : "private");
}
