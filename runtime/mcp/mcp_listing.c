/*
 * mcp_listing - the files of a session at one time, and which of them are new.
 */
#include "mcp/mcp_listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/own.h"

static int mcp_listing_compare(const void *a, const void *b)
{
	return strcmp(((const struct mcp_file *)a)->path, ((const struct mcp_file *)b)->path);
}

static void mcp_listing_add(struct mcp_listing *l, const struct json *entry)
{
	const char *path = json_string_at(entry, "path");
	const char *type = json_string_at(entry, "type");

	if (!path || !type || strcmp(type, "file") != 0 || json_get(entry, "path_hex"))
		return;
	l->files = own_grow(l->files, l->count, sizeof(*l->files));
	l->files[l->count++] = (struct mcp_file){.path = own_strdup(path),
						 .size = json_uint_at(entry, "size", 0),
						 .mtime = json_uint_at(entry, "mtime", 0)};
}

static bool mcp_listing_has(const struct mcp_listing *l, const struct mcp_file *file)
{
	const struct mcp_file *same =
		l->count ? bsearch(file, l->files, l->count, sizeof(*file), mcp_listing_compare)
			 : NULL;

	return same && same->size == file->size && same->mtime == file->mtime;
}

void mcp_listing_read(struct mcp_listing *l, const struct buf *json)
{
	struct mcp_listing now = {0};
	struct err e;
	auto_json struct json *document = json_parse(buf_string(json), json->length, &e);

	for (const struct json *n = document ? json_first(document) : NULL; n; n = json_next(n))
		mcp_listing_add(&now, n);
	if (now.count)
		qsort(now.files, now.count, sizeof(*now.files), mcp_listing_compare);
	for (size_t i = 0; i < now.count; i++)
		now.files[i].is_new = !mcp_listing_has(l, &now.files[i]);
	mcp_listing_fini(l);
	*l = now;
}

const struct mcp_file *mcp_listing_next_new(const struct mcp_listing *l,
					    const struct mcp_file *after)
{
	for (size_t i = after ? (size_t)(after - l->files) + 1 : 0; i < l->count; i++) {
		if (l->files[i].is_new)
			return &l->files[i];
	}
	return NULL;
}

void mcp_listing_fini(struct mcp_listing *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->files[i].path);
	free(l->files);
	*l = (struct mcp_listing){0};
}
