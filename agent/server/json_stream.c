/*
 * json_stream - read an answer that is a series of JSON values.
 */
#include "agent/server/json_stream.h"

#include <stdio.h>
#include <string.h>

#include "agent/server/budget.h"
#include "agent/server/refusal.h"
#include "base/json.h"
#include "base/json_escape.h"

static const char *json_stream_error_of(const struct json_stream *s, const struct json *value)
{
	const char *error = refusal_text(value);

	if (!error &&
	    s->form == PARTS_EVENTS) /* llama.cpp's field `error` holds the error itself */
		error = json_string_at(value, "message");
	return error;
}

/* Count values without content: reading them costs time. */
static int json_stream_pass_value(struct json_stream *s, const struct json *value, struct err *e)
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

static int json_stream_on_text(void *context, char *text, size_t length, struct err *e)
{
	struct json_stream *s = context;
	auto_json struct json *value = NULL;
	const char *error;

	if (s->taker.complete)
		return 0;
	if (s->form == PARTS_EVENTS && !strcmp(text, "[DONE]")) {
		s->taker.complete = true;
		return 0;
	}
	json_repair(text, length);
	value = json_parse(text, length, e);
	if (!value)
		return -1;
	error = json_stream_error_of(s, value);
	if (!error)
		return json_stream_pass_value(s, value, e);
	snprintf(s->taker.said, sizeof(s->taker.said), "%s", error);
	return -1;
}

static int json_stream_take(struct server_taker *t, const char *bytes, size_t length, struct err *e)
{
	return parts_take(&((struct json_stream *)t)->parts, bytes, length, e);
}

static int json_stream_finish(struct server_taker *t, struct err *e)
{
	struct json_stream *s = (struct json_stream *)t;

	if (parts_finish(&s->parts, e))
		return -1;
	t->complete = t->complete || (s->is_whole && s->is_whole(s));
	return 0;
}

static void json_stream_reset(struct json_stream *s)
{
	parts_fini(&s->parts);
	s->parts = (struct parts){.form = s->form, .part = json_stream_on_text, .context = s};
	s->idle_pieces = 0;
}

static void json_stream_restart(struct server_taker *t)
{
	struct json_stream *s = (struct json_stream *)t;

	json_stream_reset(s);
	if (s->restart)
		s->restart(s);
}

int json_stream_ask(struct server *server, const char *path, const struct buf *body,
		    const char *model, struct json_stream *s, enum model_failure *why,
		    struct err *e)
{
	int status;

	s->taker.take = json_stream_take;
	s->taker.finish = json_stream_finish;
	s->taker.restart = json_stream_restart;
	s->taker.gradual = true;
	json_stream_reset(s);
	status = server_ask(server, path, body, model, &s->taker, why, e);
	json_stream_reset(s);
	return status;
}
