/*
 * listener - requests that are answered by what a program prints, until that ends.
 */
#include "e2b/listener.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/parse.h"
#include "loop/clock.h"

#define UNSENT   (256u << 10) /* of a client: beyond, its program is held up */
#define BEAT_S   50
#define BEAT_MAX 3600

struct listener {
	LIST_ENTRY(listener) link; /* of audience->listeners */
	struct audience *of;
	struct request *request;
	struct hub_timer beat; /* tells that the program is still there */
	uint64_t beat_us;
	bool is_open;
};

/* -- its life -------------------------------------------------------------------------------- */

static bool listener_is_full(const struct audience *a)
{
	const struct listener *l;

	LIST_FOREACH (l, &a->listeners, link) {
		if (l->is_open && request_unsent(l->request) > UNSENT)
			return true;
	}
	return false;
}

static void listener_free(struct listener *l)
{
	struct audience *a = l->of;

	hub_silence(a->hub, &l->beat);
	LIST_REMOVE(l, link);
	free(l);
	a->hold(a->context, listener_is_full(a));
}

static void listener_abandon(struct request *r)
{
	listener_free(r->work);
}

/* -- its stream ------------------------------------------------------------------------------ */

/* The request is the caller's from now on, and has no work. */
static struct request *listener_let_go(struct listener *l)
{
	struct request *r = l->request;

	r->work = NULL;
	r->abandon = NULL;
	listener_free(l);
	return r;
}

/* No client of this API ends its half of a connection and reads on: one that ends it has left. */
static size_t listener_hear(struct request *r, const char *bytes, size_t length)
{
	(void)bytes;
	if (!length && r->work)
		request_cut(listener_let_go(r->work));
	return length;
}

static void listener_drained(struct request *r)
{
	struct listener *l = r->work;

	if (l)
		l->of->hold(l->of->context, listener_is_full(l->of));
}

static const struct duplex listener_bytes = {
	.take = listener_hear, .drained = listener_drained, .chunks = true};

static void listener_send(struct listener *l, const struct buf *json)
{
	auto_buf struct buf out = {0};

	connect_put(&out, 0, json);
	request_send(l->request, out.data, out.length);
	hub_ring(l->of->hub, &l->beat, monotonic_us() + l->beat_us);
}

static void listener_on_beat(void *context)
{
	struct listener *l = context;
	auto_buf struct buf event = {0};

	buf_text(&event, l->of->beat);
	listener_send(l, &event);
}

static void listener_open(struct listener *l)
{
	l->is_open = true;
	request_upgrade(l->request, NULL, CONNECT_STREAM, &listener_bytes);
	listener_send(l, &l->of->start);
}

void listener_add(struct audience *a, struct request *r)
{
	struct listener *l = own_zeroed(1, sizeof(*l));
	const char *beat = request_header(r, "keepalive-ping-interval");
	int64_t seconds = BEAT_S;
	struct err ignored;

	if (beat)
		(void)parse_int(beat, 1, BEAT_MAX, &seconds, &ignored);
	*l = (struct listener){
		.of = a,
		.request = r,
		.beat = {.ring = listener_on_beat, .context = l},
		.beat_us = (uint64_t)seconds * 1000000
        };
	LIST_INSERT_HEAD(&a->listeners, l, link);
	r->work = l;
	r->abandon = listener_abandon;
	if (a->start.length)
		listener_open(l);
}

/* -- all of them ----------------------------------------------------------------------------- */

void listener_open_all(struct audience *a)
{
	struct listener *l;

	LIST_FOREACH (l, &a->listeners, link)
		listener_open(l);
}

void listener_tell_all(struct audience *a, const struct buf *json)
{
	struct listener *l;

	LIST_FOREACH (l, &a->listeners, link) {
		if (l->is_open)
			listener_send(l, json);
	}
	a->hold(a->context, listener_is_full(a));
}

void listener_end_all(struct audience *a, enum connect_code code, const char *message)
{
	struct listener *l;

	while ((l = LIST_FIRST(&a->listeners))) {
		auto_buf struct buf end = {0};
		const bool is_open = l->is_open;
		struct request *r = listener_let_go(l);

		if (!is_open) {
			connect_refuse_stream(r, code, message);
			continue;
		}
		connect_put_end(&end, code, message);
		request_send(r, end.data, end.length);
		request_end(r);
	}
}

void listener_refuse_all(struct audience *a, void (*refuse)(struct request *r))
{
	struct listener *next;

	for (struct listener *l = LIST_FIRST(&a->listeners); l; l = next) {
		next = LIST_NEXT(l, link);
		if (!l->is_open)
			refuse(listener_let_go(l));
	}
	listener_end_all(a, CONNECT_UNAVAILABLE, "the sandbox has ended");
}
