/*
 * usage - GET /system/df: images, containers and volumes, one command after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/routes.h"

/* The document that was printed so far. Owned; NULL: it is no JSON. */
struct usage {
	struct json *images;
	struct json *containers;
};

static void usage_drop(void *data)
{
	struct usage *u = data;

	json_free(u->images);
	json_free(u->containers);
	free(u);
}

static struct json *usage_read(const struct verb_result *result)
{
	struct err ignored;

	return json_parse(buf_string(&result->output[0]), result->output[0].length, &ignored);
}

/* How many sandboxes that stay have each volume. */
struct usage_users {
	const struct json *volumes;
	uint64_t *counts; /* as many */
};

static void usage_note_users(void *context, const struct record *r)
{
	const struct usage_users *users = context;
	uint64_t *count = users->counts;

	for (const struct json *v = json_first(users->volumes); v; v = json_next(v))
		*count++ += record_has_volume(r, json_text_at(v, "Name"));
}

/* No size is measured: it may be as large as the disk. */
static void usage_put_volume(const struct json *volume, uint64_t users, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	for (const struct json *m = json_first(volume); m; m = json_next(m))
		json_put(out, "%s:%p", json_key(m), (const void *)m);
	json_put(out, "UsageData:{RefCount:%lu, Size:-1}}", users);
}

static void usage_of_volumes(struct request *r, const struct verb_result *result, void *data)
{
	const struct usage *u = data;
	auto_json struct json *volumes = usage_read(result);
	auto_free uint64_t *counts = own_zeroed(json_count(volumes) + 1, sizeof(*counts));
	struct usage_users users = {.volumes = volumes, .counts = counts};
	uint64_t bytes = 0;
	struct buf body = {0};
	struct err ignored;

	(void)record_each(usage_note_users, &users, &ignored);
	for (const struct json *i = json_first(u->images); i; i = json_next(i))
		bytes += json_uint_at(i, "Size", 0);
	json_put(&body, "{LayersSize:%lu, Images:%p, Containers:%p, BuildCache:[], Volumes:[",
		 bytes, (void *)u->images, (void *)u->containers);
	for (const struct json *v = json_first(volumes); v; v = json_next(v))
		usage_put_volume(v, *users.counts++, &body);
	json_put(&body, "]}");
	answer_json(r, 200, &body);
}

static void usage_next(struct request *r, reply_shape *shape, struct usage *u,
		       const char *const *command)
{
	auto_list struct list words = {0};

	reply_add(&words, command);
	reply_run(r, &words, -1, shape, u, usage_drop);
}

static struct usage *usage_keep(const struct usage *u)
{
	struct usage *kept = own_zeroed(1, sizeof(*kept));

	*kept = *u;
	return kept;
}

static void usage_of_containers(struct request *r, const struct verb_result *result, void *data)
{
	static const char *const volumes[] = {"volume", "ls", "--json", NULL};
	struct usage *u = data;

	u->containers = usage_read(result);
	usage_next(r, usage_of_volumes, usage_keep(u), volumes);
	*u = (struct usage){0};
}

static void usage_of_images(struct request *r, const struct verb_result *result, void *data)
{
	static const char *const containers[] = {"ps", "--all", "--format=engine", NULL};
	struct usage *u = data;

	u->images = usage_read(result);
	usage_next(r, usage_of_containers, usage_keep(u), containers);
	*u = (struct usage){0};
}

void usage_run(struct request *r)
{
	static const char *const images[] = {"images", "--format=engine", NULL};

	usage_next(r, usage_of_images, own_zeroed(1, sizeof(struct usage)), images);
}
