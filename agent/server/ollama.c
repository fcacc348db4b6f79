/*
 * ollama - a model behind an Ollama server (/api/chat).
 */
#include <string.h>

#include "agent/server/ollama_models.h"
#include "agent/server/protocol.h"
#include "agent/server/refusal.h"
#include "base/json_put.h"
#include "base/own.h"

#define PLACEMENT_MS 2000 /* for an answer that only a notice needs */

/* --- the request --- */

static bool ollama_is_number(const char *text)
{
	text += *text == '-';
	return *text && !text[strspn(text, "0123456789")];
}

/* Write a duration: the server wants a text with a unit, or a bare number of seconds. */
static void ollama_write_keep_alive(const char *text, struct buf *out)
{
	if (!text || !*text)
		return;
	json_put_key(out, "keep_alive");
	if (ollama_is_number(text))
		buf_text(out, text);
	else
		buf_json_text(out, text);
}

/* Write the same options in every request, or the server reloads the model. */
static void ollama_write_options(const struct chat_request *r, struct buf *out)
{
	json_put_begin(out, "options", '{');
	if (r->num_ctx)
		json_put_uint(out, "num_ctx", r->num_ctx);
	if (r->num_predict)
		json_put_uint(out, "num_predict", r->num_predict);
	protocol_put_sampling(r, out);
	json_put_end(out, '}');
}

static void ollama_write_request(const struct chat_request *r, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "model", r->model);
	json_put_bool(out, "stream", r->stream);
	if (r->think != CHAT_THINK_UNSET)
		json_put_bool(out, "think", r->think == CHAT_THINK_ON);
	ollama_write_keep_alive(r->keep_alive, out);
	ollama_write_options(r, out);
	if (r->offer_tools)
		protocol_put_tools(out);
	protocol_put_messages(r, ARGUMENTS_OBJECTS, out);
	json_put_end(out, '}');
}

/* --- the reply --- */

/* Read a line of a stream, or the whole of an unstreamed answer. */
static int ollama_take(struct protocol_reply *r, const struct json *object, struct err *e)
{
	const struct json *message = json_get(object, "message");

	if (fold_message(&r->fold, message, json_string_at(message, "thinking"), false, e))
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

static int ollama_chat(struct model *m, const struct chat_request *request,
		       const struct chat_sink *sink, struct chat_reply *out,
		       enum model_failure *why, struct err *e)
{
	static const struct protocol protocol = {
		.path = "/api/chat",
		.form = PARTS_LINES,
		.write_request = ollama_write_request,
		.take = ollama_take,
	};

	return protocol_chat(&protocol, m, request, sink, out, why, e);
}

/* --- facts and placement --- */

static uint64_t ollama_trained_for(const struct json *info)
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

static int ollama_look_up(struct model *m, const char *name, struct model_facts *out,
			  enum model_failure *why, struct err *e)
{
	auto_json struct json *shown = NULL;
	auto_free char *capabilities = NULL;

	*out = (struct model_facts){0};
	if (ollama_show(&server_model(m)->server, name, &shown, &capabilities, why, e))
		return -1;
	out->context_length = ollama_trained_for(json_get(shown, "model_info"));
	out->known = json_is_array(json_get(shown, "capabilities"));
	out->tools = ollama_has_capability(capabilities, "tools");
	out->thinking = ollama_has_capability(capabilities, "thinking");
	out->vision = ollama_has_capability(capabilities, "vision");
	return 0;
}

static int ollama_placement(struct model *m, const char *name, struct model_placement *out,
			    struct err *e)
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

		if (!there || !model_same(there, name))
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

int ollama_load(const struct server_options *options, const struct chat_request *request,
		struct err *e)
{
	struct chat_request nothing = *request;
	auto_buf struct buf body = {0};
	auto_json struct json *document = NULL;
	enum model_failure why;
	struct server server;
	int status;

	nothing.message_count = 0;
	nothing.stream = false;
	nothing.think = CHAT_THINK_UNSET;
	if (server_open(options, SERVER_OLLAMA, &server, e))
		return -1;
	ollama_write_request(&nothing, &body);
	status =
		server_fetch(&server, "/api/chat", &body, request->model, NULL, &document, &why, e);
	server_close(&server);
	return status;
}

struct model *ollama_open(const struct server_options *options, struct err *e)
{
	static const struct model calls = {
		.chat = ollama_chat,
		.look_up = ollama_look_up,
		.placement = ollama_placement,
	};

	return server_model_open(options, SERVER_OLLAMA, &calls, e);
}
