/*
 * server - a server of models, and requests to it.
 */
#include "agent/server/server.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "agent/server/refusal.h"
#include "base/json.h"
#include "base/json_escape.h"
#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"

#define DOCUMENT_MAX ((size_t)16 << 20)

int server_open(const struct server_options *options, enum server_kind kind, struct server *out,
		struct err *e)
{
	size_t length;

	*out = (struct server){
		.kind = kind,
		.connect_ms = options->connect_ms ? options->connect_ms : 10000,
		.stall_ms = options->stall_ms ? options->stall_ms : 600000,
		.retry_pause_ms = options->retry_pause_ms ? options->retry_pause_ms : 500,
		.if_no_path =
			kind == SERVER_OLLAMA ? "is --api openai meant?" : "is --api ollama meant?",
		.cancel_fd = -1,
	};
	if (server_url_parse(options->url, &out->url, e))
		return -1;
	if (options->ca && access(options->ca, R_OK))
		return err_sys(e, "--server-ca %.200s", options->ca);
	length = strlen(out->url.base);
	if (length > 3 &&
	    !strcmp(out->url.base + length - 3, "/v1")) /* as OpenAI's clients write it */
		out->url.base[length - 3] = '\0';
	return http_client_open(&out->url, options->api_key, options->ca, out->connect_ms,
				&out->http, e);
}

void server_close(struct server *s)
{
	http_client_close(s->http);
	s->http = NULL;
}

struct server_model *server_model(struct model *m)
{
	struct server_model *s = (struct server_model *)m;

	s->server.cancel_fd = m->cancel_fd;
	return s;
}

static void server_free_model(struct model *m)
{
	struct server_model *s = server_model(m);

	server_close(&s->server);
	free(s);
}

struct model *server_model_open(const struct server_options *options, enum server_kind kind,
				const struct model *calls, struct err *e)
{
	struct server_model *s = own_zeroed(1, sizeof(*s));

	if (server_open(options, kind, &s->server, e)) {
		free(s);
		return NULL;
	}
	s->model = *calls;
	s->model.free = server_free_model;
	s->model.cancel_fd = -1;
	s->model.url = s->server.url.base;
	s->model.warning = s->server.url.warning;
	return &s->model;
}

/* An answer between the client and its taker. */
struct exchange {
	struct server *server;
	struct server_taker *taker;
	struct http_answer answer;
	struct err error; /* of the taker */
};

/* Whether the answer is a web page, not an API's: servers give JSON many types, or none. */
static bool server_is_page(const struct http_answer *answer)
{
	const char *type = answer->content_type;

	return *type && !strcasestr(type, "json") && !strcasestr(type, "event-stream") &&
	       strncasecmp(type, "text/plain", 10) != 0;
}

static int server_pass_on(void *context, const char *bytes, size_t length)
{
	struct exchange *x = context;

	if (server_is_page(&x->answer))
		return err_input(&x->error,
				 "it answered with %.60s, not JSON: is this a server of models?",
				 x->answer.content_type);
	if (x->taker->take(x->taker, bytes, length, &x->error))
		return -1;
	return x->taker->complete || x->taker->enough;
}

static void server_pass_tick(void *context)
{
	const struct chat_sink *sink = ((struct exchange *)context)->taker->sink;

	sink->piece(sink->context, CHAT_CONTENT, "", 0);
}

static uint64_t server_content_of(void *context)
{
	return ((struct exchange *)context)->taker->content;
}

static bool server_is_success(const struct http_answer *answer)
{
	return answer->outcome == HTTP_ANSWERED && answer->status == 200;
}

static void server_send_once(struct exchange *x, const char *path, const struct buf *body)
{
	struct http_request request = {
		.path = path,
		.body = body,
		.cancel_fd = x->server->cancel_fd,
		.stall_ms = x->server->stall_ms,
		.bytes_max = x->taker->bytes_max,
		.take = server_pass_on,
		.content = x->taker->gradual ? server_content_of : NULL,
		.tick = x->taker->sink ? server_pass_tick : NULL,
		.context = x,
	};

	x->error = (struct err){0};
	http_send(x->server->http, &request, &x->answer);
	if (server_is_success(&x->answer) && !x->taker->complete)
		x->taker->finish(x->taker, &x->error);
}

/* Whether the answer ended before any useful part of it. */
static bool server_came_to_nothing(const struct exchange *x)
{
	const struct http_answer *answer = &x->answer;

	if (x->taker->passed_on || x->taker->complete || x->taker->said[0])
		return false;
	return answer->outcome == HTTP_DROPPED || server_is_success(answer) ||
	       (answer->outcome == HTTP_ANSWERED && answer->status == 503);
}

static int server_judge(struct exchange *x, const char *path, const char *model,
			enum model_failure *why, struct err *e)
{
	struct server *s = x->server;

	if (x->answer.outcome == HTTP_CANCELLED)
		return refusal_of_transport(s, &x->answer, why, e);
	if (x->taker->enough)
		return 0;
	if (x->taker->said[0])
		return refusal_of_stream(s, x->taker->said, model, why, e);
	if (x->taker->complete) /* then the end of the connection does not matter */
		return 0;
	*why = MODEL_BROKEN;
	if (x->error.kind != ERR_NONE) {
		*e = x->error;
		return err_prefix(e, "%s", s->url.base);
	}
	if (server_is_success(&x->answer))
		return err_set(e, ERR_SYSTEM, "%s: the answer ended in the middle", s->url.base);
	if (x->answer.outcome == HTTP_ANSWERED)
		return refusal_of_status(s, &x->answer, path, model, why, e);
	return refusal_of_transport(s, &x->answer, why, e);
}

int server_ask(struct server *s, const char *path, const struct buf *body, const char *model,
	       struct server_taker *taker, enum model_failure *why, struct err *e)
{
	struct exchange x = {.server = s, .taker = taker};
	int status;

	server_send_once(&x, path, body);
	if (server_came_to_nothing(&x)) {
		http_answer_fini(&x.answer);
		taker->restart(taker);
		if (fd_await(s->cancel_fd, POLLIN, monotonic_us() + s->retry_pause_ms * 1000))
			x.answer = (struct http_answer){.outcome = HTTP_CANCELLED};
		else
			server_send_once(&x, path, body);
	}
	status = server_judge(&x, path, model, why, e);
	http_answer_fini(&x.answer);
	return status;
}

/* Receives one document. */
struct document_taker {
	struct server_taker taker; /* first: a taker is this */
	struct buf text;
	struct json *document;
};

static int server_take_document(struct server_taker *t, const char *bytes, size_t length,
				struct err *e)
{
	struct buf *text = &((struct document_taker *)t)->text;

	buf_add(text, bytes, length);
	return text->truncated ? err_input(e, "an answer of more than %zu bytes", DOCUMENT_MAX) : 0;
}

static int server_finish_document(struct server_taker *t, struct err *e)
{
	struct document_taker *d = (struct document_taker *)t;
	const char *error;

	if (!d->text.length)
		return 0;
	json_repair(d->text.data, d->text.length);
	d->document = json_parse(d->text.data, d->text.length, e);
	if (!d->document)
		return -1;
	error = refusal_text(d->document);
	snprintf(t->said, sizeof(t->said), "%s", error ? error : "");
	t->complete = !error;
	return 0;
}

static void server_restart_document(struct server_taker *t)
{
	buf_fini(&((struct document_taker *)t)->text);
}

int server_fetch(struct server *s, const char *path, const struct buf *body, const char *model,
		 const struct chat_sink *sink, struct json **out, enum model_failure *why,
		 struct err *e)
{
	struct document_taker d = {
		.taker = {.take = server_take_document,
			  .finish = server_finish_document,
			  .restart = server_restart_document,
			  .sink = sink},
		.text.cap = DOCUMENT_MAX,
	};
	int status = server_ask(s, path, body, model, &d.taker, why, e);

	buf_fini(&d.text);
	if (status)
		json_free(d.document);
	else
		*out = d.document;
	return status;
}
