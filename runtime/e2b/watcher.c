/*
 * watcher - a directory of a sandbox of E2B's API that is watched.
 */
#include "e2b/watcher.h"

#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/random.h"
#include "e2b/connect.h"
#include "e2b/entry.h"
#include "e2b/listener.h"
#include "loop/clock.h"
#include "service/watching.h"

#define ID_BYTES   16
#define UNREAD     (256u << 10) /* bytes of events that a client has not polled */
#define NO_PATH    "a path is needed"
#define NO_WATCHER "no watcher of the sandbox has this id"

struct watcher {
	LIST_ENTRY(watcher) link; /* of box->watchers */
	struct e2b_box *box;
	char *path; /* owned */
	struct watching *watching;
	struct audience audience; /* of a stream: one listener */
	struct hub_timer leave;   /* frees it outside of any other call */
	struct hub_timer late;    /* the time of a stream's call is over */
	bool is_polled;
	char id[2 * ID_BYTES + 1];
	struct request *request; /* that waits until it watches; NULL */
	struct buf events;       /* for the next poll: JSON, with commas */
	bool has_ended;
	struct err why;
};

/* -- its end --------------------------------------------------------------------------------- */

static void watcher_free(struct watcher *w)
{
	LIST_REMOVE(w, link);
	w->box->watcher_count--;
	hub_silence(w->audience.hub, &w->leave);
	hub_silence(w->audience.hub, &w->late);
	watching_free(w->watching);
	buf_fini(&w->audience.start);
	buf_fini(&w->events);
	free(w->path);
	free(w);
}

static void watcher_on_leave(void *context)
{
	watcher_free(context);
}

static struct request *watcher_let_go(struct watcher *w)
{
	struct request *r = w->request;

	w->request = NULL;
	r->work = NULL;
	r->abandon = NULL;
	return r;
}

/* The client has left before it watches. */
static void watcher_abandon(struct request *r)
{
	watcher_free(r->work);
}

void watcher_free_all(struct e2b_box *b)
{
	struct watcher *w;

	while ((w = LIST_FIRST(&b->watchers))) {
		if (w->request)
			entry_refuse_gone(watcher_let_go(w));
		listener_refuse_all(&w->audience, entry_refuse_gone);
		watcher_free(w);
	}
}

/* One that has been polled waits for the next poll with its error. */
static void watcher_fail(struct watcher *w)
{
	const enum connect_code code = connect_code_of(&w->why);

	listener_end_all(&w->audience, code, w->why.text);
	if (w->request)
		connect_refuse(watcher_let_go(w), code, w->why.text);
	else if (w->is_polled) {
		watching_free(take_ptr(&w->watching));
		return;
	}
	watcher_free(w);
}

static void watcher_on_late(void *context)
{
	struct watcher *w = context;

	listener_end_all(&w->audience, CONNECT_LATE, "the time of the call is over");
	watcher_free(w);
}

static void watcher_ended(void *context, const struct err *why, bool no_session)
{
	struct watcher *w = context;

	w->has_ended = true;
	w->why = *why;
	if (no_session && why->kind != ERR_BUSY)
		box_forget(&w->box->box);
	else
		watcher_fail(w);
}

/* -- what it tells --------------------------------------------------------------------------- */

/* The only listener of a stream has left, or does not read. */
static void watcher_hold(void *context, bool held)
{
	struct watcher *w = context;

	if (LIST_EMPTY(&w->audience.listeners))
		hub_ring(w->audience.hub, &w->leave, 0);
	else if (!w->has_ended && w->watching)
		watching_hold(w->watching, held);
}

static void watcher_begin(struct watcher *w)
{
	auto_buf struct buf body = {0};

	if (!w->is_polled) {
		json_put(&w->audience.start, "{start:{}}");
		listener_open_all(&w->audience);
		return;
	}
	json_put(&body, "{watcherId:%s}", w->id);
	connect_reply(watcher_let_go(w), &body);
}

static void watcher_put(const struct change *c, struct buf *out)
{
	static const char *const types[] = {
		[FILES_CREATED] = "EVENT_TYPE_CREATE", [FILES_WRITTEN] = "EVENT_TYPE_WRITE",
		[FILES_REMOVED] = "EVENT_TYPE_REMOVE", [FILES_MOVED] = "EVENT_TYPE_RENAME",
		[FILES_MODE] = "EVENT_TYPE_CHMOD",
	};
	const char *name = *c->path ? c->path : ".";

	json_put_begin(out, NULL, '{');
	json_put_bytes(out, "name", name, strlen(name));
	json_put_text(out, "type", types[c->kind]);
	json_put_end(out, '}');
}

static void watcher_take(void *context, const struct change *c)
{
	struct watcher *w = context;
	auto_buf struct buf event = {0};

	if (c->kind == FILES_WATCHED) {
		watcher_begin(w);
	} else if (w->is_polled) {
		buf_text(&w->events, w->events.length ? "," : "");
		watcher_put(c, &w->events);
		watching_hold(w->watching, w->events.length > UNREAD);
	} else {
		json_put_begin(&event, NULL, '{');
		json_put_key(&event, "filesystem");
		watcher_put(c, &event);
		json_put_end(&event, '}');
		listener_tell_all(&w->audience, &event);
	}
}

/* One that has ended, and was not polled since, gives its place to another. */
static void watcher_free_ended(const struct e2b_box *b)
{
	struct watcher *w;

	LIST_FOREACH (w, &b->watchers, link) {
		if (w->has_ended) {
			watcher_free(w);
			return;
		}
	}
}

/* -- its beginning --------------------------------------------------------------------------- */

static int watcher_watch(struct watcher *w, const struct server *s, const struct json *wish,
			 struct err *e)
{
	const struct watching_request request = {
		.where = supplier_where(&s->supplier),
		.name = w->box->box.name,
		.path = w->path,
		.is_deep = json_is_true(json_get(wish, "recursive")),
		.take = watcher_take,
		.ended = watcher_ended,
	};

	if (w->box->watcher_count > WATCHER_MOST)
		watcher_free_ended(w->box);
	if (w->box->watcher_count > WATCHER_MOST)
		return err_set(e, ERR_LIMIT,
			       "%d directories of this sandbox are watched, as many as may be",
			       WATCHER_MOST);
	return watching_start(s->hub, &request, w, &w->watching, e);
}

static struct watcher *watcher_new(struct request *r, struct e2b_box *b, const char *path,
				   bool is_polled)
{
	struct watcher *w = own_zeroed(1, sizeof(*w));
	unsigned char id[ID_BYTES];

	random_bytes(id, sizeof(id));
	encode_hex(id, sizeof(id), w->id);
	w->box = b;
	w->path = e2b_box_path(path);
	w->is_polled = is_polled;
	w->audience = (struct audience){.hub = r->server->hub,
					.hold = watcher_hold,
					.context = w,
					.beat = "{\"keepalive\":{}}"};
	w->leave = (struct hub_timer){.ring = watcher_on_leave, .context = w};
	w->late = (struct hub_timer){.ring = watcher_on_late, .context = w};
	LIST_INSERT_HEAD(&b->watchers, w, link);
	b->watcher_count++;
	return w;
}

static void watcher_refuse(struct request *r, bool is_polled, enum connect_code code,
			   const char *message)
{
	if (is_polled)
		connect_refuse(r, code, message);
	else
		connect_refuse_stream(r, code, message);
}

void watcher_start(struct request *r, struct e2b_box *b, const struct json *wish, bool is_polled)
{
	const char *path = json_text_at(wish, "path");
	struct watcher *w;
	struct err e;

	if (!*path) {
		watcher_refuse(r, is_polled, CONNECT_INVALID, NO_PATH);
		return;
	}
	w = watcher_new(r, b, path, is_polled);
	if (watcher_watch(w, r->server, wish, &e)) {
		watcher_refuse(r, is_polled, connect_code_of(&e), e.text);
		watcher_free(w);
	} else if (is_polled) {
		w->request = r;
		r->work = w;
		r->abandon = watcher_abandon;
	} else {
		listener_add(&w->audience, r);
		if (connect_timeout_ms(r))
			hub_ring(r->server->hub, &w->late,
				 monotonic_us() + connect_timeout_ms(r) * 1000);
	}
}

/* -- polling --------------------------------------------------------------------------------- */

/* The watcher that a message names; NULL: refused and answered. */
static struct watcher *watcher_find(struct request *r, const struct e2b_box *b,
				    const struct json *wish)
{
	const char *id = json_text_at(wish, "watcherId");
	struct watcher *w;

	LIST_FOREACH (w, &b->watchers, link) {
		if (w->is_polled && !w->request && !strcmp(w->id, id))
			return w;
	}
	connect_refuse(r, CONNECT_NOT_FOUND, NO_WATCHER);
	return NULL;
}

void watcher_poll(struct request *r, const struct e2b_box *b, const struct json *wish)
{
	struct watcher *w = watcher_find(r, b, wish);
	auto_buf struct buf body = {0};

	if (!w)
		return;
	if (w->has_ended && !w->events.length) {
		connect_refuse(r, connect_code_of(&w->why), w->why.text);
		watcher_free(w);
		return;
	}
	buf_text(&body, "{\"events\":[");
	buf_add(&body, w->events.data, w->events.length);
	buf_text(&body, "]}");
	buf_fini(&w->events);
	if (!w->has_ended)
		watching_hold(w->watching, false);
	connect_reply(r, &body);
}

void watcher_remove(struct request *r, const struct e2b_box *b, const struct json *wish)
{
	struct watcher *w = watcher_find(r, b, wish);
	auto_buf struct buf body = {0};

	if (!w)
		return;
	watcher_free(w);
	buf_text(&body, "{}");
	connect_reply(r, &body);
}
