/*
 * dialogue - a program whose calls of tools its client answers, between two of its requests.
 */
#include "librechat/dialogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "loop/clock.h"

#define KEY_MOST   16          /* of one key */
#define BYTES_MOST (64u << 20) /* of all */
#define IDLE_US    (600 * 1000 * 1000ull)
#define NO_RESULTS "tool_results: a list of objects with call_id and result"

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

struct dialogue *dialogue_find(const struct server *s, const struct key *key, const char *token)
{
	struct dialogue *d;

	LIST_FOREACH (d, &s->dialogues, link) {
		if (!strcmp(d->token, token) && !strcmp(d->owner, key->id)) {
			d->used_us = monotonic_us();
			return d;
		}
	}
	return NULL;
}

static size_t dialogue_bytes(const struct dialogue *d)
{
	return d->body.length + d->history.length + d->waiting.length;
}

static size_t dialogue_bytes_of_all(const struct server *s)
{
	const struct dialogue *d;
	size_t bytes = 0;

	LIST_FOREACH (d, &s->dialogues, link)
		bytes += dialogue_bytes(d);
	return bytes;
}

/* End those that are idle for long, and of the key's the one that was used least lately. */
static void dialogue_make_room(const struct server *s, const struct key *key)
{
	const uint64_t now = monotonic_us();
	struct dialogue *oldest = NULL;
	struct dialogue *next;
	unsigned count = 0;

	for (struct dialogue *d = LIST_FIRST(&s->dialogues); d; d = next) {
		next = LIST_NEXT(d, link);
		if (!d->is_running && now - d->used_us > IDLE_US) {
			dialogue_end(d);
			continue;
		}
		if (strcmp(d->owner, key->id) != 0)
			continue;
		count++;
		if (!d->is_running && (!oldest || d->used_us < oldest->used_us))
			oldest = d;
	}
	if (count >= KEY_MOST && oldest)
		dialogue_end(oldest);
}

struct dialogue *dialogue_begin(struct server *s, const struct key *key, const struct json *body,
				struct err *e)
{
	struct dialogue *d = own_zeroed(1, sizeof(*d));
	char folder[STORED_FOLDER_SIZE];

	dialogue_make_room(s, key);
	stored_id_new_folder(folder);
	memcpy(d->token, folder, STORED_ID_SIZE - 1);
	snprintf(d->owner, sizeof(d->owner), "%s", key->id);
	json_write(body, &d->body);
	buf_text(&d->waiting, "[]");
	d->used_us = monotonic_us();
	LIST_INSERT_HEAD(&s->dialogues, d, link);
	if (dialogue_bytes_of_all(s) <= BYTES_MOST)
		return d;
	dialogue_end(d);
	err_set(e, ERR_LIMIT, "too many programs wait for their tools");
	return NULL;
}

/* -- answers --------------------------------------------------------------------------------- */

void dialogue_call_id(const struct dialogue *d, size_t index, char out[16])
{
	snprintf(out, 16, "call_%03u", (unsigned)(d->answered + index + 1) % 1000000u);
}

/* A call that waits, by its id; NULL: it is another. */
static const struct json *dialogue_waiting(const struct dialogue *d, const struct json *waiting,
					   const char *id)
{
	size_t index = 0;

	for (const struct json *n = json_first(waiting); n; n = json_next(n)) {
		char own[16];

		dialogue_call_id(d, index++, own);
		if (!strcmp(own, id))
			return n;
	}
	return NULL;
}

static bool dialogue_is_answered(const struct dialogue *d, const char *id)
{
	for (unsigned i = 1; i <= d->answered; i++) {
		char own[16];

		snprintf(own, sizeof(own), "call_%03u", i);
		if (!strcmp(own, id))
			return true;
	}
	return false;
}

static void dialogue_put_answer(struct buf *out, const struct json *call, const struct json *result)
{
	const struct json *value = json_get(result, "result");
	const char *error = json_string_at(result, "error_message");

	if (out->length)
		buf_text(out, ",");
	json_put_begin(out, NULL, '{');
	json_put(out, "name:%s, input:%p, is_error:%i", json_text_at(call, "name"),
		 json_get(call, "input"), json_is_true(json_get(result, "is_error")));
	if (value)
		json_put(out, "result:%p", value);
	if (error)
		json_put_text(out, "error_message", error);
	json_put_end(out, '}');
}

int dialogue_answer(struct dialogue *d, const struct server *s, const struct json *results,
		    struct err *e)
{
	auto_json struct json *waiting = json_parse(d->waiting.data, d->waiting.length, e);
	auto_buf struct buf more = {0};
	unsigned count = 0;

	if (!json_is_array(results) || !json_count(results))
		return err_input(e, NO_RESULTS);
	for (const struct json *n = json_first(results); n; n = json_next(n)) {
		const char *id = json_string_at(n, "call_id");
		const struct json *call = id ? dialogue_waiting(d, waiting, id) : NULL;

		if (!id || (!call && !dialogue_is_answered(d, id)))
			return err_input(e, NO_RESULTS);
		if (call) {
			dialogue_put_answer(&more, call, n);
			count++;
		}
	}
	if (dialogue_bytes_of_all(s) + more.length > BYTES_MOST)
		return err_set(e, ERR_LIMIT, "tool_results: too much for the program");
	if (!count)
		return 0;
	buf_printf(&d->history, "%s%s", d->history.length ? "," : "", buf_string(&more));
	d->answered += count;
	buf_cut(&d->waiting, 0);
	buf_text(&d->waiting, "[]");
	return 0;
}
