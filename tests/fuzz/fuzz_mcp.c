/*
 * fuzz_mcp - any bytes as lines of MCP: every answer is one line of strict JSON with the id that
 * was asked for, however the bytes are cut into pieces.
 *
 * Input: where they are cut, the bytes.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/json_span.h"
#include "base/json_strict.h"
#include "mcp/mcp_lines.h"
#include "mcp/mcp_methods.h"
#include "mcp/mcp_rpc.h"

#define LINE_MOST 4096

struct talk {
	struct mcp_rpc rpc;
	struct mcp_sink sink;
	struct buf said;
};

/* -- methods: those that need no session, and one that is answered when it is cancelled -------- */

static void cancel(struct mcp_request *r)
{
	MUST(r->is_cancelled);
	mcp_request_progress(r, 1, 2, "nobody hears it");
	mcp_request_drop(r);
}

static void hold(struct mcp_request *r)
{
	r->cancel = cancel;
	mcp_request_progress(r, 0.5, 1, "held");
	mcp_request_progress(r, 0.5, 1, "no more than before");
}

static void echo(struct mcp_request *r)
{
	auto_buf struct buf out = {0};

	mcp_result_begin(r, &out);
	buf_text(&out, "}");
	mcp_request_reply(r, &out);
}

static const struct mcp_method *methods(void)
{
	static struct mcp_method table[8] = {
		{"tools/call", MCP_ANY, hold},
                {"echo",       MCP_ANY, echo}
        };
	size_t count = 2;

	if (table[count].name)
		return table;
	for (const struct mcp_method *m = mcp_methods; m->name; m++) {
		if (strncmp(m->name, "tools/", 6) != 0 && strncmp(m->name, "resources/", 10) != 0) {
			table[count++] = *m;
			MUST(count < sizeof(table) / sizeof(table[0]));
		}
	}
	return table;
}

/* -- what is said ---------------------------------------------------------------------------- */

static void check_one(const struct json *message)
{
	const char *method = json_string_at(message, "method");

	MUST(json_is_object(message) && json_string_at(message, "jsonrpc"));
	if (method) {
		MUST(!strcmp(method, "notifications/progress"));
		MUST(json_get(json_get(message, "params"), "progressToken"));
	} else {
		MUST(!json_get(message, "result") != !json_get(message, "error"));
		MUST(!json_get(message, "result") || json_get(message, "id"));
	}
}

static void hear(void *context, const struct buf *message)
{
	struct talk *t = context;
	struct err e;
	auto_json struct json *document = NULL;

	MUST(!json_check_strict(message->data, message->length, message->length, &e));
	MUST(!memchr(message->data, '\n', message->length));
	document = json_parse(message->data, message->length, &e);
	MUST(document);
	if (json_is_array(document)) {
		MUST(json_count(document) > 0);
		for (const struct json *n = json_first(document); n; n = json_next(n))
			check_one(n);
	} else {
		check_one(document);
	}
	buf_add(&t->said, message->data, message->length);
	buf_text(&t->said, "\n");
}

/* -- what is asked --------------------------------------------------------------------------- */

/* What stands there is what is read there. */
static void check_span(const struct json *document, struct json_span all, const char *key)
{
	struct json_span span = json_span_member(all, key);
	const struct json *node = json_is_object(document) ? json_get(document, key) : NULL;
	auto_buf struct buf first = {0};
	auto_buf struct buf second = {0};
	auto_json struct json *alone = NULL;
	struct err e;

	MUST(!node || span.text || memchr(all.text, '\\', all.length));
	if (!span.text || (span.length == 4 && !memcmp(span.text, "null", 4)))
		return;
	alone = json_parse(span.text, span.length, &e);
	MUST(alone && node);
	json_write(alone, &first);
	json_write(node, &second);
	MUST(!strcmp(first.data, second.data));
}

static void check_spans(const char *line, size_t length)
{
	auto_json struct json *document = NULL;
	struct err e;

	if (json_check_strict(line, length, LINE_MOST, &e))
		return;
	document = json_parse(line, length, &e);
	MUST(document);
	check_span(document, json_span_of(line, length), "id");
	check_span(document, json_span_of(line, length), "params");
	if (json_is_array(document)) {
		struct json_span one = {0};
		size_t count = 0;

		while ((one = json_span_next(json_span_of(line, length), one)).text)
			count++;
		MUST(count == json_count(document));
	}
}

static void take(void *context, const char *line, size_t length)
{
	struct talk *t = context;

	MUST(length <= LINE_MOST && !memchr(line, '\n', length));
	check_spans(line, length);
	mcp_rpc_take(&t->rpc, &t->sink, line, length);
}

static void too_long(void *context)
{
	mcp_rpc_complain(&((struct talk *)context)->sink, MCP_INVALID_REQUEST, "too long");
}

static void talk(struct talk *t, const uint8_t *data, size_t size, size_t piece)
{
	struct mcp_lines lines = {
		.most = LINE_MOST, .take = take, .too_long = too_long, .context = t};

	t->rpc = (struct mcp_rpc){.methods = methods()};
	t->sink = (struct mcp_sink){.send = hear, .context = t};
	for (size_t at = 0; at < size; at += piece)
		mcp_lines_add(&lines, (const char *)data + at,
			      size - at < piece ? size - at : piece);
	while (!LIST_EMPTY(&t->rpc.requests))
		mcp_request_drop(LIST_FIRST(&t->rpc.requests));
	MUST(!t->rpc.count);
	mcp_lines_fini(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct talk first = {0};
	struct talk second = {0};

	if (size < 2)
		return 0;
	talk(&first, data + 1, size - 1, size);
	talk(&second, data + 1, size - 1, (size_t)data[0] + 1);
	MUST(first.said.length == second.said.length);
	MUST(!first.said.length || !strcmp(first.said.data, second.said.data));
	buf_fini(&first.said);
	buf_fini(&second.said);
	return 0;
}
