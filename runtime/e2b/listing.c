/*
 * listing - GET /sandboxes: those of a key, newest first, in pages; and what it has none of.
 */
#include "e2b/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/parse.h"
#include "e2b/running.h"
#include "e2b/sandbox_json.h"
#include "request/session_work.h"
#include "web/percent.h"
#include "web/query.h"

#define JSON       "application/json"
#define PAGE       100
#define PAIRS_MOST 128 /* keys and values of a filter */
#define NO_TOKEN   "nextToken and limit are numbers, and startedAfter is not served"
#define REFUSED    "not served here: snapshots, forks, templates and networks that change"

/* Which sandboxes a client asks for, and how many. */
struct listing_filter {
	struct list pairs;  /* KEY, VALUE, ... of the metadata */
	struct list states; /* none: any */
	char *template;     /* owned; NULL: any */
	bool is_oldest_first;
	uint64_t from;
	uint64_t count;
};

static void listing_fini(struct listing_filter *f)
{
	list_fini(&f->pairs);
	list_fini(&f->states);
	free(f->template);
}

/* A text with percent signs, which may be none. */
static void listing_add_decoded(struct list *l, const char *text, size_t length)
{
	auto_free char *copy = own_strndup(text, length);

	for (char *c = copy; *c; c++)
		*c = *c == '+' ? ' ' : *c;
	list_add(l, percent_decode(copy) ? "" : copy);
}

/* KEY=VALUE&..., where keys and values are encoded, and all of it once more. */
static void listing_read_metadata(struct listing_filter *f, char *text)
{
	if (percent_decode(text))
		return;
	while (*text && f->pairs.count < PAIRS_MOST) {
		const size_t pair = strcspn(text, "&");
		const size_t key = strcspn(text, "=");

		if (key < pair) {
			listing_add_decoded(&f->pairs, text, key);
			listing_add_decoded(&f->pairs, text + key + 1, pair - key - 1);
		}
		text += pair;
		text += *text == '&';
	}
}

static void listing_read_states(struct listing_filter *f, const char *query)
{
	auto_list struct list said = {0};

	query_list(query, "state", &said);
	for (size_t i = 0; i < said.count; i++) {
		for (char *text = said.items[i]; *text;) {
			const size_t length = strcspn(text, ",");
			auto_free char *one = own_strndup(text, length);

			list_add(&f->states, one);
			text += length;
			text += *text == ',';
		}
	}
}

static int listing_read(struct listing_filter *f, const char *query)
{
	auto_free char *metadata = query_text(query, "metadata");
	auto_free char *limit = query_text(query, "limit");
	auto_free char *token = query_text(query, "nextToken");
	auto_free char *order = query_text(query, "order");
	auto_free char *after = query_text(query, "startedAfter");
	int64_t count = PAGE;
	int64_t from = 0;
	struct err ignored;

	if ((limit && parse_int(limit, 1, PAGE, &count, &ignored)) ||
	    (token && *token && parse_int(token, 0, INT32_MAX, &from, &ignored)) || after)
		return -1;
	f->is_oldest_first = order && !strcmp(order, "asc");
	f->template = query_text(query, "template");
	f->count = (uint64_t)count;
	f->from = (uint64_t)from;
	if (metadata)
		listing_read_metadata(f, metadata);
	listing_read_states(f, query);
	return 0;
}

static bool listing_fits(const struct listing_filter *f, const struct box *b)
{
	struct err ignored;
	auto_json struct json *metadata = NULL;

	if (f->pairs.count)
		metadata = json_parse(b->metadata.data, b->metadata.length, &ignored);
	for (size_t i = 0; i + 1 < f->pairs.count; i += 2) {
		const char *value = json_string_at(metadata, f->pairs.items[i]);

		if (!value || strcmp(value, f->pairs.items[i + 1]) != 0)
			return false;
	}
	if (f->template && strcmp(f->template, b->template) != 0)
		return false;
	return !f->states.count || list_has(&f->states, b->is_asleep ? "paused" : "running");
}

/* The next in the order that is asked for; NULL of NULL: the first. */
static struct box *listing_next(const struct server *s, const struct box *b, bool oldest_first)
{
	struct box *before = NULL;
	struct box *i;

	if (!oldest_first)
		return b ? LIST_NEXT(b, link) : LIST_FIRST(&s->boxes);
	LIST_FOREACH (i, &s->boxes, link) {
		if (i == b)
			return before;
		before = i;
	}
	return before;
}

/* Returns whether there are more. */
static bool listing_put_page(const struct session_work *w, const struct listing_filter *f,
			     struct buf *out)
{
	const bool oldest_first = f->is_oldest_first;
	uint64_t at = 0;

	for (struct box *b = listing_next(w->server, NULL, oldest_first); b;
	     b = listing_next(w->server, b, oldest_first)) {
		const struct session_entry *session = box_session(w, b->name);

		if (b->face != &e2b_face || !session || strcmp(b->owner, w->key->id) != 0 ||
		    !listing_fits(f, b))
			continue;
		if (at >= f->from + f->count)
			return true;
		if (at++ >= f->from)
			sandbox_json_put(w->server, (struct e2b_box *)b, session->age_ms,
					 session->ttl_ms, out);
	}
	return false;
}

static bool listing_answer(struct session_work *w)
{
	struct listing_filter filter = {0};
	auto_buf struct buf body = {0};
	char next[24];

	if (listing_read(&filter, request_query(w->request))) {
		request_refuse(w->request, 400, NO_TOKEN);
		listing_fini(&filter);
		return true;
	}
	box_forget_ended(w, &e2b_face);
	json_put_begin(&body, NULL, '[');
	if (listing_put_page(w, &filter, &body)) {
		snprintf(next, sizeof(next), "%llu",
			 (unsigned long long)(filter.from + filter.count));
		request_set_header(w->request, "x-next-token", next);
	}
	json_put_end(&body, ']');
	request_reply(w->request, 200, JSON, &body);
	listing_fini(&filter);
	return true;
}

void sandboxes_run_list(struct request *r)
{
	session_work_start(session_work_named(r, "", NOTEBOOK_SESSIONS, listing_answer));
}

/* -- none of these --------------------------------------------------------------------------- */

static void listing_reply_empty(struct request *r)
{
	auto_buf struct buf body = {0};

	buf_text(&body, "[]");
	request_reply(r, 200, JSON, &body);
}

void sandboxes_run_snapshots(struct request *r)
{
	listing_reply_empty(r);
}

void sandboxes_run_refused(struct request *r)
{
	request_refuse(r, 501, REFUSED);
}
