/*
 * json_stream - takes an answer that is a series of JSON values.
 */
#include "agent/server/json_stream.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "agent/server/budget.h"
#include "agent/server/refusal.h"
#include "base/json.h"

static struct json_stream *of(struct server_taker *t)
{
	return (struct json_stream *)((char *)t - offsetof(struct json_stream, taker));
}

static const char *error_of(const struct json_stream *s, const struct json *value)
{
	const char *error = refusal_text(value);

	if (!error && s->form == JSON_EVENTS) /* llama.cpp's field `error` holds the error itself */
		error = json_string_at(value, "message");
	return error;
}

/* Values without anything in them cost time to read. */
static int pass_value(struct json_stream *s, const struct json *value, struct err *e)
{
	if (s->value(s, value, e))
		return -1;
	s->idle_pieces = s->taker.content == s->content ? s->idle_pieces + 1 : 0;
	s->content = s->taker.content;
	if (s->idle_pieces <= BUDGET_IDLE_PIECES)
		return 0;
	return err_set(e, ERR_SYSTEM,
		       "%d pieces of an answer came with nothing in them: restart the server, or "
		       "name another with --url",
		       BUDGET_IDLE_PIECES);
}

static int on_text(void *context, char *text, size_t length, struct err *e)
{
	struct json_stream *s = context;
	auto_json struct json *value = NULL;
	const char *error;

	if (s->taker.complete)
		return 0;
	if (s->form == JSON_EVENTS && !strcmp(text, "[DONE]")) {
		s->taker.complete = true;
		return 0;
	}
	json_repair(text, length);
	value = json_parse(text, length, e);
	if (!value)
		return -1;
	error = error_of(s, value);
	if (!error)
		return pass_value(s, value, e);
	snprintf(s->taker.said, sizeof(s->taker.said), "%s", error);
	return -1;
}

static int take(struct server_taker *t, const char *bytes, size_t length, struct err *e)
{
	struct json_stream *s = of(t);

	return s->form == JSON_LINES ? ndjson_take(&s->lines, bytes, length, e)
				     : sse_take(&s->events, bytes, length, e);
}

static int finish(struct server_taker *t, struct err *e)
{
	struct json_stream *s = of(t);

	if (s->form == JSON_LINES ? ndjson_finish(&s->lines, e) : sse_finish(&s->events, e))
		return -1;
	t->complete = t->complete || (s->is_whole && s->is_whole(s));
	return 0;
}

static void reset(struct json_stream *s)
{
	ndjson_fini(&s->lines);
	sse_fini(&s->events);
	s->lines = (struct ndjson){.line = on_text, .context = s};
	s->events = (struct sse){.event = on_text, .context = s};
	s->idle_pieces = 0;
}

static void restart(struct server_taker *t)
{
	struct json_stream *s = of(t);

	reset(s);
	if (s->restart)
		s->restart(s);
}

int json_stream_ask(struct server *server, const char *path, const struct buf *body,
		    const char *model, struct json_stream *s, enum model_failure *why,
		    struct err *e)
{
	int status;

	s->taker.take = take;
	s->taker.finish = finish;
	s->taker.restart = restart;
	s->taker.gradual = true;
	reset(s);
	status = server_ask(server, path, body, model, &s->taker, why, e);
	reset(s);
	return status;
}
