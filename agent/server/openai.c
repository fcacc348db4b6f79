/*
 * openai - a model of a server that speaks /v1/chat/completions.
 */
#include "agent/server/openai.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/data/tool.h"
#include "agent/server/fold.h"
#include "agent/server/refusal.h"
#include "agent/server/request.h"
#include "agent/server/sse.h"
#include "base/clock.h"

/* Takes the events of a streamed reply. */
struct chat_taker {
	struct server_taker taker;
	struct sse events;
	struct fold fold;
	struct chat_stats stats;
	uint64_t begun_us; /* when its first piece came; 0: none came */
};

static struct chat_taker *of(struct server_taker *t)
{
	return (struct chat_taker *)((char *)t - offsetof(struct chat_taker, taker));
}

/* --- the request --- */

/* Ollama reads the first, llama.cpp and vLLM the second; who minds says so: refusal.c. */
static void write_think(enum chat_think think, struct buf *out)
{
	if (think == CHAT_THINK_UNSET)
		return;
	buf_printf(out, ",\"reasoning_effort\":\"%s\"", think == CHAT_THINK_ON ? "medium" : "none");
	buf_printf(out, ",\"chat_template_kwargs\":{\"enable_thinking\":%s}",
		   think == CHAT_THINK_ON ? "true" : "false");
}

static void write_request(const struct chat_request *r, struct buf *out)
{
	buf_text(out, "{\"model\":");
	buf_json_text(out, r->model);
	buf_printf(out, ",\"stream\":%s", r->stream ? "true" : "false");
	if (r->stream)
		buf_text(out, ",\"stream_options\":{\"include_usage\":true}");
	write_think(r->think, out);
	if (r->num_predict)
		buf_printf(out, ",\"max_tokens\":%llu", (unsigned long long)r->num_predict);
	if (r->temperature >= 0) {
		buf_text(out, ",\"temperature\":");
		json_write_number(r->temperature, out);
	}
	if (r->seed >= 0)
		buf_printf(out, ",\"seed\":%lld", (long long)r->seed);
	if (r->offer_tools) {
		buf_text(out, ",\"tools\":");
		tool_describe(out);
	}
	buf_text(out, ",");
	request_messages(r, REQUEST_STRINGS, out);
	buf_text(out, "}");
}

/* --- the reply --- */

/*
 * Which call a fragment belongs to. Some servers number all calls 0, or none: a new id at
 * a number that has one begins a new call.
 */
static size_t call_of(const struct fold *f, const struct json *fragment, bool streamed)
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

static int take_message(struct chat_taker *c, const struct json *message, bool streamed,
			struct err *e)
{
	struct fold *f = &c->fold;
	const char *thinking = json_string_at(message, "reasoning_content");

	if (!thinking)
		thinking = json_string_at(message, "reasoning");
	if (fold_piece(f, CHAT_THINKING, thinking, e) ||
	    fold_piece(f, CHAT_CONTENT, json_string_at(message, "content"), e))
		return -1;
	for (const struct json *n = json_first(json_get(message, "tool_calls")); n;
	     n = json_next(n)) {
		const struct json *function = json_get(n, "function");

		if (fold_call(f, call_of(f, n, streamed), json_string_at(n, "id"),
			      json_string_at(function, "name"), json_get(function, "arguments"), e))
			return -1;
	}
	if (f->any && !c->begun_us)
		c->begun_us = monotonic_us();
	return 0;
}

/* A chunk of a stream, or all of an answer that is none. */
static int take_object(struct chat_taker *c, const struct json *object, bool streamed,
		       struct err *e)
{
	const struct json *choice = json_first(json_get(object, "choices"));
	const struct json *usage = json_get(object, "usage");

	if (!json_is_object(object))
		return err_input(e, "it answered with JSON that is no object");
	if (choice &&
	    take_message(c, json_get(choice, streamed ? "delta" : "message"), streamed, e))
		return -1;
	fold_model(&c->fold, json_string_at(object, "model"));
	c->taker.passed_on = c->fold.any;
	if (usage) {
		c->stats.prompt_tokens = json_uint_at(usage, "prompt_tokens", 0);
		c->stats.reply_tokens = json_uint_at(usage, "completion_tokens", 0);
	}
	if (choice && json_string_at(choice, "finish_reason"))
		fold_reason(&c->fold, json_string_at(choice, "finish_reason"));
	return 0;
}

static int on_event(void *context, char *data, size_t length, struct err *e)
{
	struct chat_taker *c = context;
	auto_json struct json *object = NULL;
	const char *error;

	if (c->taker.complete)
		return 0;
	if (!strcmp(data, "[DONE]")) {
		c->taker.complete = true;
		return 0;
	}
	json_repair(data, length);
	object = json_parse(data, length, e);
	if (!object)
		return -1;
	error = refusal_text(object);
	if (!error) /* llama.cpp's field `error` holds the error itself */
		error = json_string_at(object, "message");
	if (!error)
		return take_object(c, object, true, e);
	snprintf(c->taker.said, sizeof(c->taker.said), "%s", error);
	return -1;
}

static int take_bytes(struct server_taker *t, const char *bytes, size_t length, struct err *e)
{
	return sse_take(&of(t)->events, bytes, length, e);
}

/* The reason for the end is one; not every server sends [DONE]. */
static int finish_events(struct server_taker *t, struct err *e)
{
	if (sse_finish(&of(t)->events, e))
		return -1;
	t->complete = t->complete || of(t)->fold.done_reason[0];
	return 0;
}

static void restart_events(struct server_taker *t)
{
	sse_fini(&of(t)->events);
	of(t)->events = (struct sse){.event = on_event, .context = of(t)};
	fold_restart(&of(t)->fold);
}

static int chat_streamed(struct server_model *o, const struct chat_request *r,
			 const struct buf *body, struct chat_taker *c, enum model_failure *why,
			 struct err *e)
{
	int status;

	c->taker.take = take_bytes;
	c->taker.finish = finish_events;
	c->taker.restart = restart_events;
	c->events = (struct sse){.event = on_event, .context = c};
	status = server_ask(&o->server, "/v1/chat/completions", body, r->model, &c->taker, why, e);
	sse_fini(&c->events);
	return status;
}

static int chat_at_once(struct server_model *o, const struct chat_request *r,
			const struct buf *body, struct chat_taker *c, enum model_failure *why,
			struct err *e)
{
	auto_json struct json *document = NULL;

	if (server_fetch(&o->server, "/v1/chat/completions", body, r->model, c->taker.sink,
			 &document, why, e))
		return -1;
	*why = MODEL_BROKEN;
	if (take_object(c, document, false, e))
		return err_prefix(e, "%s", o->model.url);
	if (!json_count(json_get(document, "choices")))
		return err_set(e, ERR_SYSTEM, "%s: not a reply", o->model.url);
	return 0;
}

static int chat(struct model *m, const struct chat_request *request, const struct chat_sink *sink,
		struct chat_reply *out, enum model_failure *why, struct err *e)
{
	struct server_model *o = server_model(m);
	struct chat_taker c = {.taker.sink = sink, .fold.sink = request->stream ? sink : NULL};
	auto_buf struct buf body = {0};
	uint64_t start = monotonic_us();
	uint64_t end;
	int status;

	write_request(request, &body);
	status = (request->stream ? chat_streamed : chat_at_once)(o, request, &body, &c, why, e);
	if (!status) {
		end = monotonic_us();
		*out = (struct chat_reply){.stats = c.stats};
		fold_end(&c.fold, out);
		out->stats.total_us = end - start;
		if (request->stream &&
		    c.begun_us) { /* these servers do not say, so it is measured */
			out->stats.prompt_us = c.begun_us - start;
			out->stats.reply_us = end - c.begun_us;
		}
	}
	fold_fini(&c.fold);
	return status;
}

/* --- what this protocol has no question for --- */

static int look_up(struct model *m, const char *name, struct model_facts *out,
		   enum model_failure *why, struct err *e)
{
	(void)m;
	(void)name;
	(void)e;
	*why = MODEL_BROKEN;
	*out = (struct model_facts){0};
	return 0;
}

static int placement(struct model *m, const char *name, struct model_placement *out, struct err *e)
{
	(void)m;
	(void)name;
	(void)e;
	*out = (struct model_placement){0};
	return 0;
}

struct model *openai_open(const struct server_options *options, struct err *e)
{
	static const struct model calls = {
		.chat = chat,
		.look_up = look_up,
		.placement = placement,
	};

	return server_model_open(options, SERVER_OPENAI, &calls, e);
}
