/*
 * streaming - a command whose output goes to the client as it comes.
 */
#include "engine/streaming.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/parse.h"
#include "engine/answer.h"
#include "loop/clock.h"
#include "web/query.h"

#define RAW    "application/vnd.docker.raw-stream"
#define FRAMED "application/vnd.docker.multiplexed-stream"
/* In 1.41 frames had the other name, and without an upgrade they still have. */
#define FRAMED_SINCE 42
#define UNSENT       (256u << 10) /* of a client: beyond, its command is held up */

/*
 * docker-py drops what comes together with the head of an upgrade: it takes the socket from below a
 * buffer. The first bytes wait until the client has read the head, for a moment.
 */
#define LOOK_US     200 /* at first; then half of the time that it has had */
#define PATIENCE_US 2000000

struct streaming {
	LIST_ENTRY(streaming) entry;
	struct hub *hub;
	struct request *request; /* NULL: its reply is over */
	struct streaming_wish wish;
	struct list words;
	struct verb *verb;
	struct verb_result result;
	struct hub_timer look;
	uint64_t open_us; /* when its reply began */
	struct buf first; /* output before the reply, with `begin` */
	bool is_open;     /* the reply has begun */
	bool is_begun;    /* and the client has read its head */
	bool has_ended;   /* the command, before that */
};

static void streaming_free(struct streaming *s)
{
	LIST_REMOVE(s, entry);
	hub_silence(s->hub, &s->look);
	verb_free(s->verb);
	verb_result_fini(&s->result);
	list_fini(&s->words);
	buf_fini(&s->first);
	if (s->wish.drop)
		s->wish.drop(s->wish.context);
	free(s);
}

void streaming_send(struct request *r, bool framed, int stream, const char *bytes, size_t length)
{
	const unsigned char head[8] = {(unsigned char)stream,
				       0,
				       0,
				       0,
				       (unsigned char)(length >> 24),
				       (unsigned char)(length >> 16),
				       (unsigned char)(length >> 8),
				       (unsigned char)length};

	if (framed)
		request_send(r, head, sizeof(head));
	request_send(r, bytes, length);
}

static void streaming_open(struct streaming *s);

/* The route has answered: outside of the command's own call. */
static void streaming_answered(void *context)
{
	streaming_free(context);
}

/* Output before the reply. */
static void streaming_judge(struct streaming *s, const char *bytes, size_t length)
{
	struct request *r = s->request;

	buf_add(&s->first, bytes, length);
	switch (s->wish.begin(r, &s->first, s->wish.context)) {
	case BEGIN_MORE:
		return;
	case BEGIN_STREAM:
		streaming_open(s);
		request_send(r, s->first.data, s->first.length);
		return;
	case BEGIN_ANSWERED:
		s->request = NULL;
		verb_hold(s->verb, true);
		s->look.ring = streaming_answered;
		hub_ring(s->hub, &s->look, 0);
	}
}

/* Send what a filter has made of output. */
static void streaming_say(struct streaming *s, const struct buf *said)
{
	if (!said->length)
		return;
	if (!s->is_open)
		streaming_open(s);
	request_send(s->request, said->data, said->length);
	if (request_unsent(s->request) > UNSENT)
		verb_hold(s->verb, true);
}

static void streaming_filter(struct streaming *s, int number, const char *bytes, size_t length)
{
	auto_buf struct buf said = {0};

	s->wish.filter(s->wish.context, number, bytes, length, &said);
	streaming_say(s, &said);
}

static void streaming_take(void *context, int number, const char *bytes, size_t length)
{
	struct streaming *s = context;

	if (s->request && s->wish.filter) {
		streaming_filter(s, number, bytes, length);
		return;
	}
	if (!s->request || !(number == 1 ? s->wish.out : s->wish.errors))
		return;
	if (!s->is_open) { /* what fails before its reply tells why by its error */
		if (s->wish.begin)
			streaming_judge(s, bytes, length);
		return;
	}
	streaming_send(s->request, s->wish.framed, number, bytes, length);
	if (request_unsent(s->request) > UNSENT)
		verb_hold(s->verb, true);
}

static void streaming_finish(struct streaming *s)
{
	struct request *r = s->request;

	if (s->wish.ended)
		s->wish.ended(r, &s->result, s->wish.context);
	s->request = NULL;
	if (r)
		request_end(r);
	streaming_free(s);
}

/* A command that was killed has told nothing. */
static void streaming_refuse(struct streaming *s)
{
	if (s->result.error.kind != ERR_NONE)
		answer_error(s->request, &s->result.error);
	else
		request_refuse(s->request, 500, "docker %s ended with status %d", s->words.items[0],
			       s->result.status);
	s->request = NULL;
	streaming_free(s);
}

static void streaming_end_filter(struct streaming *s)
{
	auto_buf struct buf said = {0};
	struct err e = {.kind = ERR_NONE};

	s->wish.filter_end(s->wish.context, &s->result, &said, &e);
	if (e.kind != ERR_NONE) {
		s->result.error = e;
		streaming_refuse(s);
		return;
	}
	streaming_say(s, &said);
	if (!s->is_open)
		streaming_open(s);
	streaming_finish(s);
}

/* It has failed, or its output is all there: the reply begins in any case. */
static void streaming_done(void *context)
{
	struct streaming *s = context;
	const struct err *e = &s->result.error;

	s->has_ended = true;
	if (s->wish.filter) {
		streaming_end_filter(s);
		return;
	}
	if (!s->is_open && !s->wish.ended && (e->kind != ERR_NONE || s->result.status)) {
		streaming_refuse(s);
		return;
	}
	if (!s->is_open)
		streaming_open(s);
	if (s->is_begun || !s->request)
		streaming_finish(s);
}

/* The client has read the head, or has had its time. */
static void streaming_begin(struct streaming *s)
{
	s->is_begun = true;
	verb_hold(s->verb, false);
	if (s->has_ended)
		streaming_finish(s);
}

static void streaming_look(void *context)
{
	struct streaming *s = context;
	const uint64_t now = monotonic_us();
	const uint64_t had = now - s->open_us;

	if (request_is_read(s->request) || had > PATIENCE_US)
		streaming_begin(s);
	else
		hub_ring(s->hub, &s->look, now + LOOK_US + had / 2);
}

static void streaming_abandon(struct request *r)
{
	struct streaming *s = r->work;

	r->work = NULL;
	s->request = NULL;
	if (!s->wish.ended) {
		streaming_free(s);
		return;
	}
	hub_silence(s->hub, &s->look);
	verb_feed_end(s->verb);
	verb_hold(s->verb, false);
}

static void streaming_fed(void *context)
{
	struct streaming *s = context;

	if (s->request)
		request_resume(s->request);
}

static size_t streaming_hear(struct request *r, const char *bytes, size_t length)
{
	struct streaming *s = r->work;

	if (!s)
		return length;
	if (!length) { /* a terminal that is closed hangs up: what was typed would be lost */
		if (s->wish.input && !s->wish.terminal)
			verb_feed_end(s->verb);
		return 0;
	}
	return s->wish.input ? verb_feed(s->verb, bytes, length) : length;
}

static void streaming_drained(struct request *r)
{
	struct streaming *s = r->work;

	if (s && s->is_begun)
		verb_hold(s->verb, false);
}

static const struct duplex streaming_bytes = {.take = streaming_hear, .drained = streaming_drained};
/* Where no upgrade could be asked for, docker-py takes what is not in chunks for an error. */
static const struct duplex streaming_chunks = {
	.take = streaming_hear, .drained = streaming_drained, .chunks = true};

static void streaming_ready(void *context)
{
	struct streaming *s = context;

	if (!s->is_open)
		streaming_open(s);
}

static void streaming_open(struct streaming *s)
{
	struct request *r = s->request;
	const bool upgrades = s->wish.upgrades && request_asks_upgrade(r, "tcp");
	const bool named =
		s->wish.framed && upgrades == s->wish.upgrades && server_minor(r) >= FRAMED_SINCE;
	const char *type = s->wish.type ? s->wish.type : named ? FRAMED : RAW;

	s->is_open = true;
	request_upgrade(r, upgrades ? "tcp" : NULL, type,
			s->wish.upgrades ? &streaming_bytes : &streaming_chunks);
	s->is_begun = !upgrades;
	s->open_us = monotonic_us();
	verb_hold(s->verb, upgrades);
	if (upgrades)
		hub_ring(s->hub, &s->look, s->open_us + LOOK_US);
}

enum streaming_begin streaming_at_output(struct request *r, const struct buf *first, void *context)
{
	(void)r;
	(void)first;
	(void)context;
	return BEGIN_STREAM;
}

void streaming_run(struct request *r, struct list *words, const struct streaming_wish *wish)
{
	struct streaming *s = own_zeroed(1, sizeof(*s));
	struct verb_request asked = {
		.command = {.in = wish->in ? wish->in : -1,
			    .feeds = wish->input,
			    .terminal = wish->terminal,
			    .rows = wish->rows,
			    .columns = wish->columns},
		.take = streaming_take,
		.fed = streaming_fed,
		.ready = streaming_ready
        };
	struct err e;

	*s = (struct streaming){
		.hub = r->server->hub, .request = r, .wish = *wish, .words = *words};
	s->look = (struct hub_timer){.ring = streaming_look, .context = s};
	*words = (struct list){0};
	asked.command.words = &s->words;
	LIST_INSERT_HEAD(&r->server->streams, s, entry);
	if (verb_start(r->server->hub, &asked, &s->result, streaming_done, s, &s->verb, &e)) {
		answer_error(r, &e);
		s->request = NULL;
		streaming_free(s);
		return;
	}
	r->work = s;
	r->abandon = streaming_abandon;
	if (!wish->waits && !wish->begin && !wish->filter)
		streaming_open(s);
}

void streaming_end_all(struct server *s)
{
	while (!LIST_EMPTY(&s->streams))
		streaming_free(LIST_FIRST(&s->streams));
}

void streaming_resize(struct request *r, const char *key)
{
	auto_free char *rows = query_text(request_query(r), "h");
	auto_free char *columns = query_text(request_query(r), "w");
	int64_t h;
	int64_t w;
	struct streaming *s;
	struct err e;

	if (!rows || !columns || parse_int(rows, 0, UINT16_MAX, &h, &e) ||
	    parse_int(columns, 0, UINT16_MAX, &w, &e)) {
		request_refuse(r, 400, "h and w: a height and a width are needed");
		return;
	}
	LIST_FOREACH (s, &r->server->streams, entry) {
		if (!strcmp(s->wish.key, key))
			verb_resize(s->verb, (uint16_t)h, (uint16_t)w);
	}
	answer_nothing(r, 200);
}
