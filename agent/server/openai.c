/*
 * openai - a model behind a server of /v1/chat/completions: llama.cpp, vLLM, LM Studio, and Ollama
 * too.
 *
 * This protocol lacks num_ctx and keep_alive; both are left out.
 */
#include "agent/server/protocol.h"
#include "base/json_put.h"

/* --- the request --- */

/*
 * Ollama reads the first member, llama.cpp and vLLM the second; refusal.c recognises a server that
 * rejects them.
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
	protocol_put_sampling(r, out);
	if (r->offer_tools)
		protocol_put_tools(out);
	protocol_put_messages(r, ARGUMENTS_STRINGS, out);
	json_put_end(out, '}');
}

/* --- the reply --- */

/* Read a chunk of a stream, or the whole of an unstreamed answer. */
static int openai_take(struct protocol_reply *r, const struct json *object, struct err *e)
{
	const struct json *choice = json_first(json_get(object, "choices"));
	const struct json *usage = json_get(object, "usage");
	const struct json *message = json_get(choice, r->streamed ? "delta" : "message");
	const char *thinking = json_string_at(message, "reasoning_content");

	if (!thinking)
		thinking = json_string_at(message, "reasoning");
	if (fold_message(&r->fold, message, thinking, r->streamed, e))
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
		.write_request = openai_write_request,
		.take = openai_take,
	};

	return protocol_chat(&protocol, m, request, sink, out, why, e);
}

struct model *openai_open(const struct server_options *options, struct err *e)
{
	static const struct model calls = {.chat = openai_chat};

	return server_model_open(options, SERVER_OPENAI, &calls, e);
}
