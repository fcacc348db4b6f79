/*
 * reply - a request that one command of glovebox answers.
 */
#include "engine/reply.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/say.h"
#include "engine/answer.h"

struct reply {
	LIST_ENTRY(reply) entry;
	struct request *request; /* NULL: the client disconnected */
	struct list words;
	struct verb *verb;
	struct verb_result result;
	reply_shape *shape;
	reply_refusal *refuse; /* NULL */
	void *data;
	void (*drop)(void *data);
};

void reply_add(struct list *l, const char *const *words)
{
	for (; *words; words++)
		list_add(l, *words);
}

static void reply_free(struct reply *c)
{
	LIST_REMOVE(c, entry);
	verb_free(c->verb);
	verb_result_fini(&c->result);
	list_fini(&c->words);
	c->drop(c->data);
	free(c);
}

/* A command that failed without telling how: a signal, or a program of another package. */
static void reply_refuse(struct reply *c)
{
	const char *text = buf_string(&c->result.output[1]);
	int length;

	text = say_heard(text, &length);
	request_refuse(c->request, 500, "%.*s", length, text);
}

/* Some commands say why they fail, and some only that they do. */
static void reply_fail(struct reply *c)
{
	const struct err *e = &c->result.error;
	struct request *r = c->request;

	if (e->kind == ERR_NONE)
		reply_refuse(c);
	else if (!c->refuse || !c->refuse(r, e, c->data))
		answer_error(r, e);
}

static void reply_done(void *context)
{
	struct reply *c = context;
	struct request *r = c->request;
	const bool failed = c->result.error.kind != ERR_NONE || c->result.status;

	if (r && failed)
		reply_fail(c);
	else if (r && c->result.output[0].length == VERB_OUTPUT_MAX)
		request_refuse(r, 500, "the answer has more than %u MiB", VERB_OUTPUT_MAX >> 20);
	else if (r && c->shape)
		c->shape(r, &c->result, c->data);
	else if (r)
		answer_nothing(r, 204);
	reply_free(c);
}

static void reply_abandon(struct request *r)
{
	((struct reply *)r->work)->request = NULL;
}

void reply_run(struct request *r, struct list *words, int in, reply_shape *shape, void *data,
	       void (*drop)(void *data))
{
	struct reply *c = own_zeroed(1, sizeof(*c));
	struct verb_request asked = {.command = {.in = in}};
	struct err e;

	*c = (struct reply){.request = r,
			    .words = *words,
			    .shape = shape,
			    .data = data,
			    .drop = drop ? drop : free};
	*words = (struct list){0};
	asked.command.words = &c->words;
	LIST_INSERT_HEAD(&r->server->replies, c, entry);
	if (verb_start(r->server->hub, &asked, &c->result, reply_done, c, &c->verb, &e)) {
		answer_error(r, &e);
		reply_free(c);
		return;
	}
	r->work = c;
	r->abandon = reply_abandon;
}

void reply_refuses(struct request *r, reply_refusal *refuse)
{
	if (r->abandon == reply_abandon)
		((struct reply *)r->work)->refuse = refuse;
}

bool reply_lacks_program(struct request *r, const struct err *e, void *data)
{
	char text[sizeof(e->text) + 100];

	(void)data;
	if (e->kind != ERR_NOT_FOUND)
		return false;
	request_refuse(r, 400, "%s", err_string(e, text, sizeof(text)));
	return true;
}

void reply_end_all(struct server *s)
{
	while (!LIST_EMPTY(&s->replies))
		reply_free(LIST_FIRST(&s->replies));
}
