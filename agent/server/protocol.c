/*
 * protocol - send a request and receive a reply, in either protocol.
 */
#include "agent/server/protocol.h"

#include <string.h>

#include "base/json_put.h"
#include "loop/clock.h"

/* -- requests -------------------------------------------------------------------------------- */

static void protocol_member(struct buf *out, const char *key, const char *text)
{
	if (text)
		json_put_text(out, key, text);
}

/* Parse a text before writing it as an object: a model wrote it. */
static void protocol_write_object(const char *text, struct buf *out)
{
	struct err ignored;
	auto_json struct json *document = json_parse(text, strlen(text), &ignored);

	if (document && json_is_object(document))
		json_write(document, out);
	else
		buf_text(out, "{}");
}

static void protocol_write_calls(const struct chat_message *m, enum protocol_arguments arguments,
				 struct buf *out)
{
	json_put_begin(out, "tool_calls", '[');
	for (size_t i = 0; i < m->call_count; i++) {
		const struct chat_call *call = &m->calls[i];

		json_put_begin(out, NULL, '{');
		json_put_text(out, "type", "function");
		protocol_member(out, "id", call->id);
		json_put_begin(out, "function", '{');
		json_put_text(out, "name", call->name);
		json_put_key(out, "arguments");
		if (arguments == ARGUMENTS_STRINGS)
			buf_json_text(out, call->arguments);
		else
			protocol_write_object(call->arguments, out);
		json_put_end(out, '}');
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

/* Write a text and its pictures, in OpenAI's form. */
static void protocol_write_parts(const struct chat_message *m, struct buf *out)
{
	json_put_begin(out, "content", '[');
	json_put_begin(out, NULL, '{');
	json_put_text(out, "type", "text");
	json_put_text(out, "text", m->content);
	json_put_end(out, '}');
	for (size_t i = 0; i < m->images.count; i++) {
		auto_buf struct buf url = {0};

		buf_printf(&url, "data:image/png;base64,%s", m->images.items[i]);
		json_put_begin(out, NULL, '{');
		json_put_text(out, "type", "image_url");
		json_put_begin(out, "image_url", '{');
		json_put_text(out, "url", buf_string(&url));
		json_put_end(out, '}');
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

static void protocol_write_message(const struct chat_message *m, enum protocol_arguments arguments,
				   struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "role", chat_role_name(m->role));
	if (m->images.count && arguments == ARGUMENTS_STRINGS)
		protocol_write_parts(m, out);
	else
		protocol_member(out, "content", m->content);
	if (m->images.count && arguments == ARGUMENTS_OBJECTS)
		list_put(&m->images, out, "images");
	if (arguments == ARGUMENTS_OBJECTS) {
		protocol_member(out, "thinking", m->thinking);
		protocol_member(out, "tool_name", m->tool_name);
	} else if (m->role == CHAT_TOOL) {
		protocol_member(out, "name", m->tool_name);
	}
	protocol_member(out, "tool_call_id", m->tool_call_id);
	if (m->role == CHAT_ASSISTANT && m->call_count)
		protocol_write_calls(m, arguments, out);
	json_put_end(out, '}');
}

void protocol_put_messages(const struct chat_request *r, enum protocol_arguments arguments,
			   struct buf *out)
{
	json_put_begin(out, "messages", '[');
	for (size_t i = 0; i < r->message_count; i++)
		protocol_write_message(&r->messages[i], arguments, out);
	json_put_end(out, ']');
}

void protocol_put_sampling(const struct chat_request *r, struct buf *out)
{
	if (r->temperature >= 0) {
		json_put_key(out, "temperature");
		json_write_number(r->temperature, out);
	}
	if (r->seed >= 0)
		json_put_int(out, "seed", r->seed);
}

void protocol_put_tools(struct buf *out)
{
	json_put_key(out, "tools");
	buf_text(out,
		 "[{\"type\":\"function\",\"function\":{\"name\":\"" TOOL_NAME
		 "\","
		 "\"description\":\"Run Python code in a sandbox without network and get what "
		 "it printed, the value of its last expression, its traceback and the files "
		 "it wrote. /data is read-only, /output is where files go.\","
		 "\"parameters\":{\"type\":\"object\",\"properties\":{"
		 "\"code\":{\"type\":\"string\",\"description\":\"The Python source, complete. "
		 "Print what you want to see.\"},"
		 "\"description\":{\"type\":\"string\",\"description\":\"What the code does, in "
		 "a few words.\"}},"
		 "\"required\":[\"code\"]}}}]");
}

/* -- a reply --------------------------------------------------------------------------------- */

static int protocol_take(struct protocol_reply *r, const struct json *object, struct err *e)
{
	if (!json_is_object(object))
		return err_input(e, "it answered with JSON that is not an object");
	if (r->protocol->take(r, object, e))
		return -1;
	fold_model(&r->fold, json_string_at(object, "model"));
	if (r->fold.any && !r->begun_us)
		r->begun_us = monotonic_us();
	return 0;
}

/* -- streamed -------------------------------------------------------------------------------- */

static int protocol_take_part(struct json_stream *s, const struct json *value, struct err *e)
{
	struct protocol_reply *r = (struct protocol_reply *)s;
	const struct chat_sink *sink = s->taker.sink;

	if (protocol_take(r, value, e))
		return -1;
	s->taker.enough = sink && sink->enough && sink->enough(sink->context);
	r->fold.closed = s->taker.enough;
	s->taker.passed_on = r->fold.any;
	s->taker.content = fold_size(&r->fold);
	s->taker.complete = r->complete;
	return 0;
}

/* A reason for the end suffices: not every server sends [DONE]. */
static bool protocol_is_whole(const struct json_stream *s)
{
	return ((const struct protocol_reply *)s)->fold.done_reason[0];
}

static void protocol_restart(struct json_stream *s)
{
	fold_restart(&((struct protocol_reply *)s)->fold);
}

static int protocol_ask_streamed(struct server_model *o, const struct buf *body, const char *model,
				 struct protocol_reply *r, enum model_failure *why, struct err *e)
{
	r->stream.form = r->protocol->form;
	r->stream.value = protocol_take_part;
	r->stream.is_whole = protocol_is_whole;
	r->stream.restart = protocol_restart;
	return json_stream_ask(&o->server, r->protocol->path, body, model, &r->stream, why, e);
}

/* -- unstreamed ------------------------------------------------------------------------------ */

static int protocol_ask_at_once(struct server_model *o, const struct buf *body, const char *model,
				struct protocol_reply *r, enum model_failure *why, struct err *e)
{
	auto_json struct json *document = NULL;

	if (server_fetch(&o->server, r->protocol->path, body, model, r->stream.taker.sink,
			 &document, why, e))
		return -1;
	*why = MODEL_BROKEN;
	if (protocol_take(r, document, e))
		return err_prefix(e, "%s", o->model.url);
	return r->complete ? 0 : err_set(e, ERR_SYSTEM, "%s: not a reply", o->model.url);
}

/* ------------------------------------------------------------------------------------------ */

static void protocol_end_reply(struct protocol_reply *r, uint64_t started_us,
			       struct chat_reply *out)
{
	uint64_t ended_us = monotonic_us();

	/* Measure here if the protocol does not report times, or the stream was closed early. */
	if (!r->stats.reply_us && r->streamed && r->begun_us) {
		r->stats.prompt_us = r->begun_us - started_us;
		r->stats.reply_us = ended_us - r->begun_us;
	}
	if (r->fold.closed && !r->fold.done_reason[0])
		fold_reason(&r->fold, "cut");
	r->stats.total_us = ended_us - started_us;
	*out = (struct chat_reply){.stats = r->stats};
	fold_end(&r->fold, out);
}

int protocol_chat(const struct protocol *protocol, struct model *m,
		  const struct chat_request *request, const struct chat_sink *sink,
		  struct chat_reply *out, enum model_failure *why, struct err *e)
{
	struct protocol_reply r = {
		.protocol = protocol,
		.stream.taker.sink = sink,
		.fold.sink = request->stream ? sink : NULL,
		.streamed = request->stream,
	};
	auto_buf struct buf body = {0};
	uint64_t started_us = monotonic_us();
	int status;

	protocol->write_request(request, &body);
	status = (request->stream ? protocol_ask_streamed : protocol_ask_at_once)(
		server_model(m), &body, request->model, &r, why, e);
	if (!status)
		protocol_end_reply(&r, started_us, out);
	fold_fini(&r.fold);
	return status;
}
