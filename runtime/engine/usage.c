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

struct usage_count {
	const char *name;
	uint64_t users;
};

static void usage_note_user(void *context, const struct record *r)
{
	struct usage_count *count = context;
	const struct json *mounts = json_get(r->what, "mounts");

	for (const struct json *m = mounts ? json_first(mounts) : NULL; m; m = json_next(m)) {
		const char *name = json_string_at(m, "name");

		if (name && !strcmp(name, count->name)) {
			count->users++;
			return;
		}
	}
}

static void usage_put_volume(const struct json *volume, struct buf *out)
{
	struct usage_count count = {.name = json_text_at(volume, "Name")};
	struct err ignored;

	(void)record_each(usage_note_user, &count, &ignored);
	json_put_begin(out, NULL, '{');
	for (const struct json *m = json_first(volume); m; m = json_next(m)) {
		json_put_key(out, json_key(m));
		json_write(m, out);
	}
	json_put_begin(out, "UsageData", '{');
	json_put_uint(out, "RefCount", count.users);
	json_put_int(out, "Size", -1); /* not measured: it may be as large as the disk */
	json_put_end(out, '}');
	json_put_end(out, '}');
}

static void usage_of_volumes(struct request *r, const struct verb_result *result, void *data)
{
	struct usage *u = data;
	auto_json struct json *volumes = NULL;
	struct err ignored;

	volumes = json_parse(buf_string(&result->output[0]), result->output[0].length, &ignored);
	json_put_begin(&u->body, "Volumes", '[');
	for (const struct json *v = volumes ? json_first(volumes) : NULL; v; v = json_next(v))
		usage_put_volume(v, &u->body);
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
