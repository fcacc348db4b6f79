/*
 * openai - a model of a server that speaks /v1/chat/completions: llama.cpp, vLLM, LM
 * Studio, and Ollama too.
 *
 * There is no num_ctx and no keep_alive in this protocol; both are left out.
 */
#include <string.h>

#include "agent/server/protocol.h"
#include "base/json_put.h"

/* --- the request --- */

/*
 * Ollama reads the first, llama.cpp and vLLM the second; a server that refuses them says so:
 * refusal.c.
 */
static void openai_write_think(enum chat_think think, struct buf *out)
{
	if (think == CHAT_THINK_UNSET)
		return;
	json_put_text(out, "reasoning_effort", think == CHAT_THINK_ON ? "medium" : "none");
	json_put_begin(out, "chat_template_kwargs", '{');
	json_put_bool(out, "enable_thinking", think == CHAT_THINK_ON);
	json_put_end(out, '}');
}

static void openai_write_request(const struct chat_request *r, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "model", r->model);
	json_put_bool(out, "stream", r->stream);
	if (r->stream) {
		json_put_begin(out, "stream_options", '{');
		json_put_bool(out, "include_usage", true);
		json_put_end(out, '}');
	}
	openai_write_think(r->think, out);
	if (r->num_predict)
		json_put_uint(out, "max_tokens", r->num_predict);
	if (r->temperature >= 0) {
		json_put_key(out, "temperature");
		json_write_number(r->temperature, out);
	}
	if (r->seed >= 0)
		json_put_int(out, "seed", r->seed);
	if (r->offer_tools)
		protocol_put_tools(out);
	protocol_put_messages(r, ARGUMENTS_STRINGS, out);
	json_put_end(out, '}');
}

/* --- the reply --- */

/*
 * The call that a fragment belongs to. Some servers number all calls 0, or none: a new id at a
 * number that has one begins a new call.
 */
static size_t openai_call_of(const struct fold *f, const struct json *fragment, bool streamed)
{
	size_t last = f->call_count ? f->call_count - 1 : 0;
	size_t index = json_uint_at(fragment, "index", streamed ? last : f->call_count);
	const char *id = json_string_at(fragment, "id");

	if (!streamed)
		return f->call_count;
	if (index < f->call_count && id && *id && f->calls[index].id &&
	    strcmp(f->calls[index].id, id) != 0)
		return f->call_count;
	return index;
}

static int openai_take_message(struct protocol_reply *r, const struct json *message, struct err *e)
{
	struct fold *f = &r->fold;
	const char *thinking = json_string_at(message, "reasoning_content");

	if (!thinking)
		thinking = json_string_at(message, "reasoning");
	if (fold_piece(f, CHAT_THINKING, thinking, e) ||
	    fold_piece(f, CHAT_CONTENT, json_string_at(message, "content"), e))
		return -1;
	for (const struct json *n = json_first(json_get(message, "tool_calls")); n;
	     n = json_next(n)) {
		const struct json *function = json_get(n, "function");

		if (fold_call(f, openai_call_of(f, n, r->streamed), json_string_at(n, "id"),
			      json_string_at(function, "name"), json_get(function, "arguments"), e))
			return -1;
	}
	return 0;
}

/* A chunk of a stream, or the whole of an answer that is not streamed. */
static int openai_take(struct protocol_reply *r, const struct json *object, struct err *e)
{
	const struct json *choice = json_first(json_get(object, "choices"));
	const struct json *usage = json_get(object, "usage");

	if (choice &&
	    openai_take_message(r, json_get(choice, r->streamed ? "delta" : "message"), e))
		return -1;
	if (usage) {
		r->stats.prompt_tokens = json_uint_at(usage, "prompt_tokens", 0);
		r->stats.reply_tokens = json_uint_at(usage, "completion_tokens", 0);
	}
	if (choice)
		fold_reason(&r->fold, json_string_at(choice, "finish_reason"));
	r->complete = choice && !r->streamed; /* the usage follows the last choice */
	return 0;
}

static int openai_chat(struct model *m, const struct chat_request *request,
		       const struct chat_sink *sink, struct chat_reply *out,
		       enum model_failure *why, struct err *e)
{
	static const struct protocol protocol = {
		.path = "/v1/chat/completions",
		.form = PARTS_EVENTS,
		.tells_no_times = true,
		.write_request = openai_write_request,
		.take = openai_take,
	};

	return protocol_chat(&protocol, m, request, sink, out, why, e);
}

/* --- what this protocol cannot ask --- */

static int openai_look_up(struct model *m, const char *name, struct model_facts *out,
			  enum model_failure *why, struct err *e)
{
	(void)m;
	(void)name;
	(void)e;
	*why = MODEL_BROKEN;
	*out = (struct model_facts){0};
	return 0;
}

struct model *openai_open(const struct server_options *options, struct err *e)
{
	static const struct model calls = {
		.chat = openai_chat,
		.look_up = openai_look_up,
	};

	return server_model_open(options, SERVER_OPENAI, &calls, e);
}
