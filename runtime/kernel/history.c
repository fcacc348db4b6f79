/*
 * history - what was executed in a kernel, for its clients.
 */
#include "kernel/history.h"

#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"

static void history_free_entry(struct history_entry *entry)
{
	free(entry->source);
	free(entry->result);
}

void history_add(struct history *h, unsigned number, const char *source)
{
	if (strlen(source) > HISTORY_BYTES)
		return;
	if (h->count == HISTORY_MAX) {
		history_free_entry(&h->entries[0]);
		memmove(h->entries, h->entries + 1, --h->count * sizeof(*h->entries));
	}
	h->entries = own_grow(h->entries, h->count, sizeof(*h->entries));
	h->entries[h->count++] =
		(struct history_entry){.number = number, .source = own_strdup(source)};
}

void history_add_result(struct history *h, const char *text)
{
	if (h->count && strlen(text) <= HISTORY_BYTES && !h->entries[h->count - 1].result)
		h->entries[h->count - 1].result = own_strdup(text);
}

void history_fini(struct history *h)
{
	for (size_t i = 0; i < h->count; i++)
		history_free_entry(&h->entries[i]);
	free(h->entries);
	*h = (struct history){0};
}

/* -- asking ---------------------------------------------------------------------------------- */

/* Which entries a request wants. */
struct history_wish {
	const char *type; /* range, tail, search */
	const char *pattern;
	uint64_t most; /* the last ones of them */
	uint64_t start;
	uint64_t stop;
	bool is_ours; /* of this session: there are no others */
	bool unique;
	bool with_results;
};

/* Sessions are 0, which is the present one, 1, which is the same, and negative: earlier ones. */
static struct history_wish history_read(const struct json *request)
{
	struct history_wish wish = {
		.type = json_text_at(request, "hist_access_type"),
		.pattern = json_text_at(request, "pattern"),
		.most = json_uint_at(request, "n", HISTORY_MAX),
		.start = json_uint_at(request, "start", 0),
		.stop = json_uint_at(request, "stop", UINT64_MAX),
		.is_ours =
			json_uint_at(request, "session", 2) <= 1 || !json_get(request, "session"),
		.unique = json_is_true(json_get(request, "unique")),
		.with_results = json_is_true(json_get(request, "output")),
	};

	if (!strcmp(wish.type, "range"))
		wish.most = HISTORY_MAX;
	return wish;
}

static bool history_is_repeated(const struct history *h, size_t i)
{
	for (size_t later = i + 1; later < h->count; later++) {
		if (!strcmp(h->entries[later].source, h->entries[i].source))
			return true;
	}
	return false;
}

static bool history_is_wanted(const struct history *h, size_t i, const struct history_wish *wish)
{
	const struct history_entry *entry = &h->entries[i];

	if (!strcmp(wish->type, "range"))
		return wish->is_ours && entry->number >= wish->start && entry->number < wish->stop;
	if (!strcmp(wish->type, "search"))
		return !fnmatch(wish->pattern, entry->source, FNM_NOESCAPE) &&
		       !(wish->unique && history_is_repeated(h, i));
	return true;
}

static void history_put(const struct history_entry *entry, bool with_result, struct buf *out)
{
	json_put_begin(out, NULL, '[');
	json_put_uint(out, NULL, 1);
	json_put_uint(out, NULL, entry->number);
	if (with_result)
		json_put_begin(out, NULL, '[');
	json_put_text(out, NULL, entry->source);
	if (with_result) {
		json_put_text(out, NULL, entry->result);
		json_put_end(out, ']');
	}
	json_put_end(out, ']');
}

void history_reply(const struct history *h, const struct json *request, struct buf *out)
{
	const struct history_wish wish = history_read(request);
	size_t first = h->count;
	uint64_t found = 0;

	while (first > 0 && found < wish.most)
		found += history_is_wanted(h, --first, &wish);
	json_put_begin(out, "history", '[');
	for (size_t i = first; i < h->count; i++) {
		if (history_is_wanted(h, i, &wish))
			history_put(&h->entries[i], wish.with_results, out);
	}
	json_put_end(out, ']');
}
