/*
 * usage - GET /system/df: images, containers and volumes, one command after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/images_rows.h"
#include "engine/reply.h"
#include "engine/usage.h"
#include "record/record.h"

/* The object so far. */
struct usage {
	struct buf body;
};

static void usage_drop(void *data)
{
	struct usage *u = data;

	buf_fini(&u->body);
	free(u);
}

/* -- volumes ---------------------------------------------------------------------------------- */

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

static void usage_put_volume(const struct json *volume, uint64_t users, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	for (const struct json *m = json_first(volume); m; m = json_next(m)) {
		json_put_key(out, json_key(m));
		json_write(m, out);
	}
	json_put_begin(out, "UsageData", '{');
	json_put_uint(out, "RefCount", users);
	json_put_int(out, "Size", -1); /* not measured: it may be as large as the disk */
	json_put_end(out, '}');
	json_put_end(out, '}');
}

static void usage_of_volumes(struct request *r, const struct verb_result *result, void *data)
{
	struct usage *u = data;
	auto_json struct json *volumes = NULL;
	auto_free uint64_t *counts = NULL;
	struct usage_users users;
	struct err ignored;

	volumes = json_parse(buf_string(&result->output[0]), result->output[0].length, &ignored);
	counts = own_zeroed(json_count(volumes) + 1, sizeof(*counts));
	users = (struct usage_users){.volumes = volumes, .counts = counts};
	(void)record_each(usage_note_users, &users, &ignored);
	json_put_begin(&u->body, "Volumes", '[');
	for (const struct json *v = json_first(volumes); v; v = json_next(v))
		usage_put_volume(v, *users.counts++, &u->body);
	json_put_end(&u->body, ']');
	json_put_begin(&u->body, "BuildCache", '[');
	json_put_end(&u->body, ']');
	json_put_end(&u->body, '}');
	answer_json(r, 200, &u->body);
}

/* -- containers, images ----------------------------------------------------------------------- */

static void usage_put_container(void *context, const struct record *r)
{
	struct buf *out = context;
	auto_free char *name = own_printf("/%s", record_name(r));

	json_put_begin(out, NULL, '{');
	json_put_text(out, "Id", r->id);
	json_put_begin(out, "Names", '[');
	json_put_text(out, NULL, name);
	json_put_end(out, ']');
	json_put_text(out, "Image", json_text_at(r->what, "image"));
	json_put_uint(out, "Created", json_uint_at(r->what, "created_ms", 0) / 1000);
	json_put_text(out, "State", record_state_name(r->state));
	json_put_text(out, "Status", "");
	json_put_uint(out, "SizeRw", 0);
	json_put_uint(out, "SizeRootFs", 0);
	json_put_begin(out, "Mounts", '[');
	json_put_end(out, ']');
	json_put_end(out, '}');
}

static void usage_of_images(struct request *r, const struct verb_result *result, void *data)
{
	struct usage *u = own_zeroed(1, sizeof(*u));
	auto_list struct list words = {0};
	struct err ignored;
	uint64_t bytes;

	(void)data;
	json_put_begin(&u->body, NULL, '{');
	json_put_begin(&u->body, "Images", '[');
	bytes = images_put_rows(buf_string(&result->output[0]), &u->body);
	json_put_end(&u->body, ']');
	json_put_uint(&u->body, "LayersSize", bytes);
	json_put_begin(&u->body, "Containers", '[');
	(void)record_each(usage_put_container, &u->body, &ignored);
	json_put_end(&u->body, ']');
	reply_words(&words, "volume", "ls", "--json");
	reply_run(r, &words, -1, usage_of_volumes, u, usage_drop);
}

void usage_run(struct request *r)
{
	auto_list struct list words = {0};

	images_rows_words(&words);
	reply_run(r, &words, -1, usage_of_images, NULL, NULL);
}
