/*
 * waits - POST /containers/X/wait.
 */
#include "engine/waits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "loop/clock.h"
#include "record/event_reader.h"
#include "web/query.h"

#define LOOK_US 1000000
#define LOST    137

enum wait_for {
	WAIT_NOT_RUNNING,
	WAIT_NEXT_EXIT,
	WAIT_REMOVED,
};

struct waiting {
	LIST_ENTRY(waiting) entry;
	struct request *request;
	enum wait_for what;
	char id[RECORD_ID];
	bool has_run; /* it was seen to run: now a state that says "lost" is its end */
	bool has_code;
	int code;
};

struct watcher {
	struct server *server;
	struct event_reader *events;
	struct hub_watch watch;
	struct hub_timer look;
	LIST_HEAD(, waiting) all;
	uint64_t since_ns; /* of the epoch: events before it are old */
};

static void waits_free(struct waiting *w)
{
	LIST_REMOVE(w, entry);
	free(w);
}

static void waits_answer(struct waiting *w, int code)
{
	auto_buf struct buf body = {0};

	json_put(&body, "{StatusCode:%d}", code);
	buf_text(&body, "\n");
	request_send(w->request, body.data, body.length);
	request_end(w->request);
	waits_free(w);
}

/* -- events ---------------------------------------------------------------------------------- */

/* Its end is told: `code`. Of a container that is removed the code comes first. */
static void waits_on_end(struct waiting *w, int code)
{
	w->has_code = true;
	w->code = code;
	if (w->what != WAIT_REMOVED)
		waits_answer(w, code);
}

static int waits_code(const struct json *event)
{
	const struct json *actor = json_get(event, "Actor");
	const struct json *attributes = actor ? json_get(actor, "Attributes") : NULL;

	return (int)strtol(json_text_at(attributes, "exitCode"), NULL, 10);
}

static bool waits_tell(void *context, const struct json *event)
{
	struct watcher *watcher = context;
	const char *id = json_text_at(event, "id");
	const char *action = json_text_at(event, "Action");
	struct waiting *w = LIST_FIRST(&watcher->all);

	if (strtoull(json_text_at(event, "timeNano"), NULL, 10) < watcher->since_ns)
		return true;
	while (w) {
		struct waiting *next = LIST_NEXT(w, entry);

		if (strcmp(w->id, id) != 0)
			;
		else if (!strcmp(action, "start"))
			w->has_run = true;
		else if (!strcmp(action, "die"))
			waits_on_end(w, waits_code(event));
		else if (!strcmp(action, "destroy"))
			waits_answer(w, w->code);
		w = next;
	}
	return true;
}

static void waits_ready(void *context, uint32_t events)
{
	struct watcher *w = context;

	(void)events;
	(void)event_reader_read(w->events, waits_tell, w);
}

/* -- the lost -------------------------------------------------------------------------------- */

static void waits_look_at(struct waiting *w)
{
	auto_record struct record r = {.dir = -1};

	if (!record_read_id(w->id, &r))
		waits_answer(w, w->has_code ? w->code : LOST);
	else if (record_runs(&r))
		w->has_run = true;
	else if (w->has_run && r.state == RECORD_LOST && !w->has_code)
		waits_on_end(w, LOST);
}

static void waits_look(void *context)
{
	struct watcher *watcher = context;
	struct waiting *w;

	waits_ready(watcher, 0); /* what has an event is judged by that */
	for (w = LIST_FIRST(&watcher->all); w;) {
		struct waiting *next = LIST_NEXT(w, entry);

		waits_look_at(w);
		w = next;
	}
	if (!LIST_EMPTY(&watcher->all))
		hub_ring(watcher->server->hub, &watcher->look, monotonic_us() + LOOK_US);
}

/* -- the route ------------------------------------------------------------------------------- */

static void waits_abandon(struct request *r)
{
	waits_free(r->work);
}

static int waits_condition(const char *text)
{
	if (!text || !*text || !strcmp(text, "not-running"))
		return WAIT_NOT_RUNNING;
	return !strcmp(text, "next-exit") ? WAIT_NEXT_EXIT
	       : !strcmp(text, "removed") ? WAIT_REMOVED
					  : -1;
}

void waits_run(struct request *r)
{
	struct watcher *watcher = r->server->watcher;
	auto_record struct record found = {.dir = -1};
	auto_free char *condition = query_text(request_query(r), "condition");
	const int what = waits_condition(condition);
	struct waiting *w;

	if (what < 0) {
		request_refuse(r, 400, "invalid condition: \"%s\"", condition);
		return;
	}
	/* First the events that were, then the record: an end after that has an event to come. */
	waits_ready(watcher, 0);
	if (!answer_find(r, &found))
		return;
	w = own_zeroed(1, sizeof(*w));
	w->request = r;
	w->what = (enum wait_for)what;
	memcpy(w->id, found.id, sizeof(w->id));
	w->has_run = record_runs(&found);
	LIST_INSERT_HEAD(&watcher->all, w, entry);
	r->work = w;
	r->abandon = waits_abandon;
	request_stream(r, 200, ANSWER_JSON);
	request_send(r, "", 0);
	hub_ring(r->server->hub, &watcher->look, monotonic_us() + LOOK_US);
	if (what == WAIT_NOT_RUNNING && !w->has_run && found.state != RECORD_STARTING)
		waits_answer(w, found.state == RECORD_LOST      ? LOST
				: found.state == RECORD_CREATED ? 0
								: record_exit_code(&found));
}

int waits_open(struct server *s, struct err *e)
{
	struct watcher *w = own_zeroed(1, sizeof(*w));

	s->watcher = w;
	w->server = s;
	w->since_ns = clock_now_ms() * 1000000;
	w->watch = (struct hub_watch){.ready = waits_ready, .context = w, .fd = -1};
	w->look = (struct hub_timer){.ring = waits_look, .context = w};
	w->events = event_reader_open(e);
	if (!w->events || hub_watch(s->hub, &w->watch, event_reader_fd(w->events), EPOLLIN, e))
		return -1;
	waits_ready(w, 0);
	return 0;
}

void waits_close(struct server *s)
{
	struct watcher *w = s->watcher;

	if (!w)
		return;
	hub_silence(s->hub, &w->look);
	hub_unwatch(s->hub, &w->watch);
	if (w->events)
		event_reader_close(w->events);
	free(w);
	s->watcher = NULL;
}
