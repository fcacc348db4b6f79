/*
 * dialogue - a program whose calls of tools its client answers, between two of its requests.
 */
#include "librechat/dialogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "base/parse.h"
#include "loop/clock.h"

#define OWNER_MOST  16          /* of one key */
#define OWNER_BYTES (32u << 20) /* of all of one key */
#define IDLE_US     (600 * 1000 * 1000ull)
#define ID          "call_"
#define ID_SIZE     16
#define KEY_TEXT    64 /* characters of a call's key */
#define NO_RESULTS  "tool_results: an object with call_id and result for each call that waits"

void dialogue_end(struct dialogue *d)
{
	LIST_REMOVE(d, link);
	buf_fini(&d->body);
	buf_fini(&d->history);
	buf_fini(&d->waiting);
	free(d);
}

void dialogue_end_all(struct server *s)
{
	while (!LIST_EMPTY(&s->dialogues))
		dialogue_end(LIST_FIRST(&s->dialogues));
}

void dialogue_end_of(const struct server *s, const struct key *key)
{
	struct dialogue *next;

	for (struct dialogue *d = LIST_FIRST(&s->dialogues); d; d = next) {
		next = LIST_NEXT(d, link);
		if (!d->is_running && !strcmp(d->owner, key->id))
			dialogue_end(d);
	}
}

struct dialogue *dialogue_find(const struct server *s, const char *token)
{
	struct dialogue *d;

	LIST_FOREACH (d, &s->dialogues, link) {
		if (!strcmp(d->token, token))
			return d;
	}
	return NULL;
}

/* -- room ------------------------------------------------------------------------------------ */

static size_t dialogue_bytes(const struct dialogue *d)
{
	return d->body.length + d->history.length + d->waiting.length;
}

static void dialogue_end_idle(const struct server *s)
{
	const uint64_t now = monotonic_us();
	struct dialogue *next;

	for (struct dialogue *d = LIST_FIRST(&s->dialogues); d; d = next) {
		next = LIST_NEXT(d, link);
		if (!d->is_running && now - d->used_us > IDLE_US)
			dialogue_end(d);
	}
}

/*
 * Whether the key may have one more of this size; the one of its own that was used least lately is
 * in *oldest, unless it runs.
 */
static bool dialogue_has_room(const struct server *s, const struct key *key, size_t bytes,
			      struct dialogue **oldest)
{
	struct dialogue *d;
	unsigned count = 0;

	*oldest = NULL;
	LIST_FOREACH (d, &s->dialogues, link) {
		if (strcmp(d->owner, key->id) != 0)
			continue;
		count++;
		bytes += dialogue_bytes(d);
		if (!d->is_running && (!*oldest || d->used_us < (*oldest)->used_us))
			*oldest = d;
	}
	return count < OWNER_MOST && bytes <= OWNER_BYTES;
}

struct dialogue *dialogue_begin(struct server *s, const struct key *key, const struct json *body,
				struct err *e)
{
	auto_buf struct buf text = {0};
	struct dialogue *d;
	char folder[STORED_FOLDER_SIZE];

	json_write(body, &text);
	dialogue_end_idle(s);
	while (!dialogue_has_room(s, key, text.length, &d)) {
		if (!d) {
			err_set(e, ERR_LIMIT, "too much waits for its tools");
			return NULL;
		}
		dialogue_end(d);
	}
	d = own_zeroed(1, sizeof(*d));
	stored_id_new_folder(folder);
	memcpy(d->token, folder, STORED_ID_SIZE - 1);
	snprintf(d->owner, sizeof(d->owner), "%s", key->id);
	d->body = text;
	text = (struct buf){0};
	buf_text(&d->waiting, "[]");
	d->used_us = monotonic_us();
	LIST_INSERT_HEAD(&s->dialogues, d, link);
	return d;
}

/* -- calls ----------------------------------------------------------------------------------- */

/* One call: for the client with its input, and for us with its key. */
static int dialogue_ask_one(const struct json *call, unsigned number, struct buf *out,
			    struct buf *kept, struct err *e)
{
	const char *key = json_text_at(call, "key");
	char id[ID_SIZE];

	if (!json_is_object(json_get(call, "input")) || strlen(key) != KEY_TEXT)
		return err_input(e, "the input of a tool is an object");
	snprintf(id, sizeof(id), ID "%03u", number);
	json_put(out, "{id:%s, name:%s, input:%p}", id, json_text_at(call, "name"),
		 json_get(call, "input"));
	json_put(kept, "{id:%s, key:%s}", id, key);
	return 0;
}

int dialogue_ask(struct dialogue *d, const struct json *calls, struct buf *out, struct err *e)
{
	auto_buf struct buf kept = {0};
	unsigned number = d->calls;

	if (!json_is_array(calls) || !json_count(calls))
		return err_input(e, "the calls of its tools cannot be read");
	if (json_count(calls) + d->calls > DIALOGUE_CALLS)
		return err_set(e, ERR_LIMIT, "a program calls %d tools at most", DIALOGUE_CALLS);
	json_put_begin(out, NULL, '[');
	json_put_begin(&kept, NULL, '[');
	for (const struct json *n = json_first(calls); n; n = json_next(n)) {
		if (dialogue_ask_one(n, ++number, out, &kept, e))
			return -1;
	}
	json_put_end(out, ']');
	json_put_end(&kept, ']');
	buf_cut(&d->waiting, 0);
	buf_add(&d->waiting, kept.data, kept.length);
	d->waits = number - d->calls;
	d->calls = number;
	d->is_told = true;
	return 0;
}

/* A call that waits, by its id; NULL: it is another. */
static const struct json *dialogue_waiting(const struct json *waiting, const char *id)
{
	for (const struct json *n = json_first(waiting); n; n = json_next(n)) {
		if (!strcmp(json_text_at(n, "id"), id))
			return n;
	}
	return NULL;
}

static bool dialogue_is_answered(const struct dialogue *d, const char *id)
{
	const size_t length = strlen(ID);
	int64_t number;
	char same[ID_SIZE];
	struct err ignored;

	if (strncmp(id, ID, length) != 0 ||
	    parse_int(id + length, 1, (int64_t)d->calls - d->waits, &number, &ignored))
		return false;
	snprintf(same, sizeof(same), ID "%03u", (unsigned)number);
	return !strcmp(same, id);
}

static void dialogue_put_answer(struct buf *out, const struct json *call, const struct json *result)
{
	const struct json *value = json_get(result, "result");
	const char *error = json_string_at(result, "error_message");

	if (out->length)
		buf_text(out, ",");
	json_put_begin(out, NULL, '{');
	json_put(out, "key:%s, is_error:%i", json_text_at(call, "key"),
		 json_is_true(json_get(result, "is_error")));
	if (value)
		json_put(out, "result:%p", value);
	if (error)
		json_put_text(out, "error_message", error);
	json_put_end(out, '}');
}

/* Take the results of all calls that wait, each once; or of answered ones alone: *count is 0. */
static int dialogue_take(const struct dialogue *d, const struct json *results, struct buf *more,
			 unsigned *count, struct err *e)
{
	auto_json struct json *waiting = json_parse(d->waiting.data, d->waiting.length, e);
	auto_list struct list taken = {0};

	*count = 0;
	if (!json_is_array(results) || !json_count(results) || json_count(results) > DIALOGUE_CALLS)
		return err_input(e, NO_RESULTS);
	for (const struct json *n = json_first(results); n; n = json_next(n)) {
		const char *id = json_text_at(n, "call_id");
		const struct json *call = dialogue_waiting(waiting, id);

		if ((!call && !dialogue_is_answered(d, id)) || list_has(&taken, id))
			return err_input(e, NO_RESULTS);
		list_add(&taken, id);
		if (call)
			dialogue_put_answer(more, call, n);
		*count += call != NULL;
	}
	return *count && *count != d->waits ? err_input(e, NO_RESULTS) : 0;
}

int dialogue_answer(struct dialogue *d, const struct json *results, struct err *e)
{
	auto_buf struct buf more = {0};
	unsigned count;

	if (dialogue_take(d, results, &more, &count, e))
		return -1;
	if (dialogue_bytes(d) + more.length > OWNER_BYTES)
		return err_set(e, ERR_LIMIT, "tool_results: too much for the program");
	d->used_us = monotonic_us();
	if (!count)
		return 0;
	buf_printf(&d->history, "%s%s", d->history.length ? "," : "", buf_string(&more));
	d->waits = 0;
	buf_cut(&d->waiting, 0);
	buf_text(&d->waiting, "[]");
	return 0;
}
