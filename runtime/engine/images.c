/*
 * images - the routes of /images that one command answers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ago.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/parse.h"
#include "engine/answer.h"
#include "engine/errand.h"
#include "engine/filters.h"
#include "engine/images_find.h"
#include "engine/routes.h"
#include "engine/streaming.h"
#include "image/image_reference.h"
#include "web/query.h"

/* -- one ------------------------------------------------------------------------------------- */

/* All files are one layer. */
void images_history(struct request *r)
{
	struct image image;
	struct buf body = {0};
	bool is_named;

	if (!images_find(r, r->segments[0], &image))
		return;
	is_named = strncmp(image.reference, "sha256:", 7) != 0;
	json_put(&body, "[{Id:%s, Created:%lu, CreatedBy:'', Size:%lu, Comment:'', Tags:[",
		 image.config.id, ago_seconds(image.config.created),
		 image.document ? json_uint_at(image.document, "size_bytes", 0) : 0);
	if (is_named)
		json_put_text(&body, NULL, image.reference);
	json_put(&body, "]}]");
	answer_json(r, 200, &body);
	image_close(&image);
}

void images_get(struct request *r)
{
	const struct streaming_wish wish = {
		.out = true, .type = "application/x-tar", .begin = streaming_at_output};
	auto_list struct list names = {0};
	auto_list struct list words = {0};
	struct image image;

	query_list(request_query(r), "names", &names);
	if (names.count != 1) {
		request_refuse(r, 400,
			       "names: an archive has one image here: save each of them alone");
		return;
	}
	if (!images_find(r, names.items[0], &image))
		return;
	reply_words(&words, "save", image.reference);
	streaming_run(r, &words, &wish);
	image_close(&image);
}

/* -- names ----------------------------------------------------------------------------------- */

static void images_tagged(struct request *r, const struct verb_result *result, void *data)
{
	(void)result;
	(void)data;
	answer_nothing(r, 201);
}

void images_tag(struct request *r)
{
	auto_free char *text = errand_reference(r);
	auto_free char *reference = NULL;
	auto_list struct list words = {0};
	struct image image;

	if (!images_find(r, r->segments[0], &image))
		return;
	reference = images_reference(r, text);
	if (reference) {
		reply_words(&words, "tag", image.reference, reference);
		reply_run(r, &words, -1, images_tagged, NULL, NULL);
	}
	image_close(&image);
}

void images_push(struct request *r)
{
	request_refuse(r, 400, "a registry is only pulled from here");
}

/* -- removal --------------------------------------------------------------------------------- */

/* Lines "Untagged: NAME" and "Deleted: ID"; other lines are for people. Returns the last number. */
static uint64_t images_put_removed(const char *text, struct buf *out)
{
	auto_list struct list lines = {0};
	uint64_t bytes = 0;

	list_add_lines(&lines, text);
	for (size_t i = 0; i < lines.count; i++) {
		const char *line = lines.items[i];

		if (!strncmp(line, "Total reclaimed space: ", 23))
			bytes = strtoull(line + 23, NULL, 10);
		else if (!strncmp(line, "Untagged: ", 10))
			json_put(out, "{Untagged:%s}", line + 10);
		else if (!strncmp(line, "Deleted: ", 9))
			json_put(out, "{Deleted:%s}", line + 9);
	}
	return bytes;
}

static void images_removed(struct request *r, const struct verb_result *result, void *data)
{
	struct buf body = {0};

	(void)data;
	json_put_begin(&body, NULL, '[');
	(void)images_put_removed(buf_string(&result->output[0]), &body);
	json_put_end(&body, ']');
	answer_json(r, 200, &body);
}

struct images_use {
	const struct image *image;
	char id[RECORD_ID];
	bool runs;
};

/* Note a sandbox that stays with this image under the name, or under any where all are removed. */
static void images_note_use(void *context, const struct record *record)
{
	struct images_use *use = context;
	auto_free char *reference = NULL;
	struct image image;
	struct err ignored;

	if (*use->id ||
	    image_reference(json_text_at(record->what, "image"), &reference, &ignored) ||
	    image_open(reference, &image, &ignored))
		return;
	if (!strcmp(image.config.id, use->image->config.id) &&
	    (!strncmp(use->image->reference, "sha256:", 7) ||
	     !strcmp(image.reference, use->image->reference))) {
		memcpy(use->id, record->id, sizeof(use->id));
		use->runs = record_runs(record);
	}
	image_close(&image);
}

/* Docker lets `force` remove the names of one that has ended, and nothing of one that runs. */
static bool images_is_free(struct request *r, const struct image *image, const char *name)
{
	struct images_use use = {.image = image};
	struct err e;

	if (record_each(images_note_use, &use, &e)) {
		answer_error(r, &e);
		return false;
	}
	if (!*use.id || (!use.runs && query_is_true(request_query(r), "force", false)))
		return true;
	request_refuse(r, 409,
		       "conflict: unable to remove repository reference \"%s\" (%s) - container "
		       "%.12s is using its referenced image %.12s",
		       name, use.runs ? "cannot be forced" : "must force", use.id,
		       image->config.id + (!strncmp(image->config.id, "sha256:", 7) ? 7 : 0));
	return false;
}

void images_remove(struct request *r)
{
	auto_list struct list words = {0};
	struct image image;

	if (!images_find(r, r->segments[0], &image))
		return;
	if (images_is_free(r, &image, r->segments[0])) {
		reply_words(&words, "rmi", image.reference);
		reply_run(r, &words, -1, images_removed, NULL, NULL);
	}
	image_close(&image);
}

static void images_pruned(struct request *r, const struct verb_result *result, void *data)
{
	struct buf body = {0};
	uint64_t bytes;

	(void)data;
	json_put(&body, "{ImagesDeleted:[");
	bytes = images_put_removed(buf_string(&result->output[0]), &body);
	json_put(&body, "], SpaceReclaimed:%lu}", bytes);
	answer_json(r, 200, &body);
}

/* A filter that is not kept to would remove what is to stay. */
void images_prune(struct request *r)
{
	static const char dangling[] = "--filter=dangling=";
	auto_list struct list filters = {0};
	auto_list struct list words = {0};
	bool only_untagged = true;
	struct err e;

	if (filters_words(request_query(r), &filters, &e)) {
		answer_error(r, &e);
		return;
	}
	for (size_t i = 0; i < filters.count; i++) {
		const char *filter = filters.items[i];
		const bool known = !strncmp(filter, dangling, sizeof(dangling) - 1);

		if (known && !parse_bool(filter + sizeof(dangling) - 1, &only_untagged, &e))
			continue;
		request_refuse(
			r, 400,
			"invalid filter '%.100s': dangling=true and dangling=false are known",
			filter + strlen("--filter="));
		return;
	}
	reply_words(&words, "image", "prune", "--force", only_untagged ? NULL : "--all");
	reply_run(r, &words, -1, images_pruned, NULL, NULL);
}
