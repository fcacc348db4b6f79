/*
 * images_list - GET /images/json.
 *
 * `images` says which names there are, and filters them; several of them may be of one image.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/filters.h"
#include "engine/images.h"
#include "engine/images_rows.h"
#include "engine/reply.h"
#include "image/image.h"
#include "web/query.h"

#define ROW "{{.Repository}}:{{.Tag}}"

struct images_rows {
	struct images_row {
		char *id;
		struct list tags;
		uint64_t size_bytes;
		uint64_t created_s;
	} * items;
	size_t count;
};

static void images_list_fini(struct images_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->items[i].id);
		list_fini(&rows->items[i].tags);
	}
	free(rows->items);
}

uint64_t images_seconds(const char *text)
{
	struct tm tm = {0};
	const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;

	return end ? (uint64_t)timegm(&tm) : 0;
}

static struct images_row *images_list_row_of(struct images_rows *rows, const struct image *image)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (!strcmp(rows->items[i].id, image->config.id))
			return &rows->items[i];
	}
	rows->items = own_grow(rows->items, rows->count, sizeof(*rows->items));
	rows->items[rows->count] = (struct images_row){
		.id = own_strdup(image->config.id),
		.size_bytes = image->document ? json_uint_at(image->document, "size_bytes", 0) : 0,
		.created_s = images_seconds(image->config.created)};
	return &rows->items[rows->count++];
}

/* A name whose image has been removed meanwhile is left out. */
static void images_list_add(struct images_rows *rows, const char *reference)
{
	struct image image;
	struct err ignored;

	if (image_open(reference, &image, &ignored))
		return;
	list_add(&images_list_row_of(rows, &image)->tags, reference);
	image_close(&image);
}

static void images_list_put(const struct images_row *row, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "Id", row->id);
	json_put_text(out, "ParentId", "");
	list_put(&row->tags, out, "RepoTags");
	json_put_begin(out, "RepoDigests", '[');
	json_put_end(out, ']');
	json_put_uint(out, "Created", row->created_s);
	json_put_uint(out, "Size", row->size_bytes);
	json_put_int(out, "SharedSize", -1);
	json_put_uint(out, "VirtualSize", row->size_bytes);
	json_put_begin(out, "Labels", '{');
	json_put_end(out, '}');
	json_put_int(out, "Containers", -1);
	json_put_end(out, '}');
}

uint64_t images_put_rows(const char *names, struct buf *out)
{
	auto_list struct list references = {0};
	struct images_rows rows = {0};
	uint64_t bytes = 0;

	list_add_lines(&references, names);
	for (size_t i = 0; i < references.count; i++)
		images_list_add(&rows, references.items[i]);
	for (size_t i = 0; i < rows.count; i++) {
		images_list_put(&rows.items[i], out);
		bytes += rows.items[i].size_bytes;
	}
	images_list_fini(&rows);
	return bytes;
}

void images_rows_words(struct list *words)
{
	reply_words(words, "images", "--format=" ROW);
}

static void images_list_shape(struct request *r, const struct verb_result *result, void *data)
{
	struct buf body = {0};

	(void)data;
	json_put_begin(&body, NULL, '[');
	(void)images_put_rows(buf_string(&result->output[0]), &body);
	json_put_end(&body, ']');
	answer_json(r, 200, &body);
}

void images_list(struct request *r)
{
	auto_free char *name = query_text(request_query(r), "filter"); /* of old clients */
	auto_list struct list words = {0};
	struct err e;

	images_rows_words(&words);
	if (name && *name)
		list_addf(&words, "--filter=reference=%s", name);
	if (filters_words(request_query(r), &words, &e))
		answer_error(r, &e);
	else
		reply_run(r, &words, -1, images_list_shape, NULL, NULL);
}
