/*
 * protocol - request and receive a reply, in either protocol.
 */
#include "agent/server/protocol.h"

#include <stddef.h>

#include "base/clock.h"

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

/* -- streamed ------------------------------------------------------------------------------ */

static struct protocol_reply *protocol_of(const struct json_stream *s)
{
	return (struct protocol_reply *)((char *)s - offsetof(struct protocol_reply, stream));
}

static int protocol_take_part(struct json_stream *s, const struct json *value, struct err *e)
{
	struct protocol_reply *r = protocol_of(s);

	if (protocol_take(r, value, e))
		return -1;
	s->taker.passed_on = r->fold.any;
	s->taker.content = fold_size(&r->fold);
	s->taker.complete = r->complete;
	return 0;
}

/* A reason for the end is enough: not every server sends [DONE]. */
static bool protocol_is_whole(const struct json_stream *s)
{
	return protocol_of(s)->fold.done_reason[0];
}

static void protocol_restart(struct json_stream *s)
{
	fold_restart(&protocol_of(s)->fold);
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

/* -- at once ------------------------------------------------------------------------------- */

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

	if (r->protocol->tells_no_times && r->streamed && r->begun_us) {
		r->stats.prompt_us = r->begun_us - started_us;
		r->stats.reply_us = ended_us - r->begun_us;
	}
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
