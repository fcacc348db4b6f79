/*
 * ollama - a model of an Ollama server (/api/chat).
 */
#include "agent/server/ollama.h"

#include <string.h>

#include "agent/data/tool.h"
#include "agent/server/installed.h"
#include "agent/server/protocol.h"
#include "agent/server/request.h"

#define PLACEMENT_MS 2000 /* for an answer that only a notice depends on */

/* --- the request --- */

static bool is_number(const char *text)
{
	text += *text == '-';
	return *text && !text[strspn(text, "0123456789")];
}

/* The server reads a text as a duration with a unit, and a bare number as seconds. */
static void write_keep_alive(const char *text, struct buf *out)
{
	if (!text || !*text)
		return;
	buf_text(out, ",\"keep_alive\":");
	if (is_number(text))
		buf_text(out, text);
	else
		buf_json_text(out, text);
}

/* Always the same from call to call, or the server would load the model again. */
static void write_options(const struct chat_request *r, struct buf *out)
{
	const char *comma = "";

	buf_text(out, ",\"options\":{");
	if (r->num_ctx) {
		buf_printf(out, "\"num_ctx\":%llu", (unsigned long long)r->num_ctx);
		comma = ",";
	}
	if (r->num_predict) {
		buf_printf(out, "%s\"num_predict\":%llu", comma,
			   (unsigned long long)r->num_predict);
		comma = ",";
	}
	if (r->temperature >= 0) {
		buf_printf(out, "%s\"temperature\":", comma);
		json_write_number(r->temperature, out);
		comma = ",";
	}
	if (r->seed >= 0)
		buf_printf(out, "%s\"seed\":%lld", comma, (long long)r->seed);
	buf_text(out, "}");
}

static void write_request(const struct chat_request *r, struct buf *out)
{
	buf_text(out, "{\"model\":");
	buf_json_text(out, r->model);
	buf_printf(out, ",\"stream\":%s", r->stream ? "true" : "false");
	if (r->think != CHAT_THINK_UNSET)
		buf_printf(out, ",\"think\":%s", r->think == CHAT_THINK_ON ? "true" : "false");
	write_keep_alive(r->keep_alive, out);
	write_options(r, out);
	if (r->offer_tools) {
		buf_text(out, ",\"tools\":");
		tool_describe(out);
	}
	buf_text(out, ",");
	request_messages(r, REQUEST_OBJECTS, out);
	buf_text(out, "}");
}

/* --- the reply --- */

static int take_message(struct fold *f, const struct json *message, struct err *e)
{
	if (fold_piece(f, CHAT_THINKING, json_string_at(message, "thinking"), e) ||
	    fold_piece(f, CHAT_CONTENT, json_string_at(message, "content"), e))
		return -1;
	for (const struct json *n = json_first(json_get(message, "tool_calls")); n;
	     n = json_next(n)) {
		const struct json *function = json_get(n, "function");

		if (fold_call(f, f->call_count, json_string_at(n, "id"),
			      json_string_at(function, "name"), json_get(function, "arguments"), e))
			return -1;
	}
	return 0;
}

/* One line of a stream, or all of an answer that is none. */
static int take(struct protocol_reply *r, const struct json *object, struct err *e)
{
	if (take_message(&r->fold, json_get(object, "message"), e))
		return -1;
	if (!json_is_true(json_get(object, "done")))
		return 0;
	r->complete = true;
	fold_reason(&r->fold, json_string_at(object, "done_reason"));
	r->stats = (struct chat_stats){
		.prompt_tokens = json_uint_at(object, "prompt_eval_count", 0),
		.reply_tokens = json_uint_at(object, "eval_count", 0),
		.load_us = json_uint_at(object, "load_duration", 0) / 1000,
		.prompt_us = json_uint_at(object, "prompt_eval_duration", 0) / 1000,
		.reply_us = json_uint_at(object, "eval_duration", 0) / 1000,
	};
	return 0;
}

static int chat(struct model *m, const struct chat_request *request, const struct chat_sink *sink,
		struct chat_reply *out, enum model_failure *why, struct err *e)
{
	static const struct protocol protocol = {
		.path = "/api/chat",
		.form = JSON_LINES,
		.write_request = write_request,
		.take = take,
	};

	return protocol_chat(&protocol, m, request, sink, out, why, e);
}

/* --- what else it knows --- */

static bool has_word(const struct json *list, const char *word)
{
	for (const struct json *n = json_first(list); n; n = json_next(n))
		if (json_string(n) && !strcmp(json_string(n), word))
			return true;
	return false;
}

static uint64_t trained_for(const struct json *info)
{
	static const char suffix[] = ".context_length";

	for (const struct json *n = json_first(info); n; n = json_next(n)) {
		const char *key = json_key(n);
		size_t length = key ? strlen(key) : 0;

		if (length >= sizeof(suffix) &&
		    !strcmp(key + length - (sizeof(suffix) - 1), suffix))
			return json_uint_at(info, key, 0);
	}
	return 0;
}

static int look_up(struct model *m, const char *name, struct model_facts *out,
		   enum model_failure *why, struct err *e)
{
	auto_buf struct buf body = {0};
	auto_json struct json *document = NULL;
	const struct json *capabilities;
	const char *template;

	buf_text(&body, "{\"model\":");
	buf_json_text(&body, name);
	buf_text(&body, "}");
	*out = (struct model_facts){0};
	if (server_fetch(&server_model(m)->server, "/api/show", &body, name, NULL, &document, why,
			 e))
		return -1;
	capabilities = json_get(document, "capabilities");
	template = json_string_at(document, "template");
	out->context_length = trained_for(json_get(document, "model_info"));
	out->known = capabilities && json_is_array(capabilities);
	if (out->known) {
		out->tools = has_word(capabilities, "tools");
		out->thinking = has_word(capabilities, "thinking");
	} else { /* servers before 0.6.4 */
		out->tools = template && strstr(template, ".Tools");
	}
	return 0;
}

static int placement(struct model *m, const char *name, struct model_placement *out, struct err *e)
{
	auto_json struct json *document = NULL;
	struct server brief = server_model(m)->server;
	enum model_failure why;

	if (brief.stall_ms > PLACEMENT_MS)
		brief.stall_ms = PLACEMENT_MS;
	*out = (struct model_placement){0};
	if (server_fetch(&brief, "/api/ps", NULL, NULL, NULL, &document, &why, e))
		return why == MODEL_CANCELLED || why == MODEL_UNREACHABLE ? -1 : 0;
	for (const struct json *n = json_first(json_get(document, "models")); n; n = json_next(n)) {
		const char *there = json_string_at(n, "name");

		if (!there || !installed_same(there, name))
			continue;
		*out = (struct model_placement){
			.loaded = true,
			.size_bytes = json_uint_at(n, "size", 0),
			.gpu_bytes = json_uint_at(n, "size_vram", 0),
			.context_length = json_uint_at(n, "context_length", 0),
		};
		break;
	}
	return 0;
}

struct model *ollama_open(const struct server_options *options, struct err *e)
{
	static const struct model calls = {
		.chat = chat,
		.look_up = look_up,
		.placement = placement,
	};

	return server_model_open(options, SERVER_OLLAMA, &calls, e);
}
