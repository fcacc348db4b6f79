/*
 * volume_seen - a volume as the commands see it, and which sandboxes use it.
 */
#include "container/volume_seen.h"

#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"
#include "fs/names.h"
#include "record/record.h"
#include "spec/volume.h"

#define VOLUMES  100000
#define MAX_WHAT (1u << 20)

void volume_seen_fini(struct volume_seen *s)
{
	volume_close(&s->at);
	json_free(s->what);
	own_free(&s->path);
}

int volume_see(const char *name, struct volume_seen *out, struct err *e)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	struct stat st;

	*out = (struct volume_seen){.name = name, .at = volume_none()};
	if (volume_open(name, VOLUME_LOOK, &out->at, e) ||
	    io_read_fd(out->at.lock, name, MAX_WHAT, &text, e) || fstat(out->at.lock, &st))
		return -1;
	out->what = text.length ? json_parse(buf_string(&text), text.length, &ignored) : NULL;
	out->path = volume_source(name, e);
	if (!out->path)
		return -1;
	clock_utc_at((uint64_t)st.st_mtime * 1000, out->created);
	return 0;
}

struct volume_users {
	const char *name;
	struct buf ids;
};

static void volume_seen_add_user(void *context, const struct record *r)
{
	struct volume_users *users = context;

	if (record_has_volume(r, users->name))
		buf_printf(&users->ids, "%s%s", users->ids.length ? ", " : "", r->id);
}

/* Errors: ERR_BUSY, naming them. */
int volume_check_unused(const char *name, struct err *e)
{
	struct volume_users users = {.name = name};
	int bad = record_each(volume_seen_add_user, &users, e);

	if (!bad && users.ids.length)
		bad = err_set(e, ERR_BUSY, "remove %.255s: volume is in use - [%.200s]", name,
			      buf_string(&users.ids));
	buf_fini(&users.ids);
	return bad;
}

static bool volume_seen_is_dangling(const struct volume_seen *s)
{
	struct err ignored;

	return !volume_is_mounted(&s->at) && !volume_check_unused(s->name, &ignored);
}

const struct json *volume_part(const struct volume_seen *s, const char *key)
{
	return s->what ? json_get(s->what, key) : NULL;
}

bool volume_has_label(const struct volume_seen *s, const char *wanted)
{
	const char *value = strchr(wanted, '=');
	auto_free char *key = own_strndup(wanted, strcspn(wanted, "="));
	const struct json *labels = volume_part(s, "labels");
	const char *has = labels ? json_string_at(labels, key) : NULL;

	return has && (!value || !strcmp(has, value + 1));
}

/* 1: it passes; 0; -1 with *e. */
static int volume_seen_passes(const struct volume_seen *s, const struct list *filters,
			      struct err *e)
{
	bool named = false;
	bool met = false;

	for (size_t i = 0; i < filters->count; i++) {
		const char *filter = filters->items[i];
		bool wanted;

		if (!strncmp(filter, "name=", 5)) {
			named = true;
			met |= strstr(s->name, filter + 5) != NULL;
		} else if (!strncmp(filter, "label=", 6)) {
			if (!volume_has_label(s, filter + 6))
				return 0;
		} else if (!strncmp(filter, "dangling=", 9)) {
			if (parse_bool(filter + 9, &wanted, e))
				return err_prefix(e, "--filter dangling");
			if (volume_seen_is_dangling(s) != wanted)
				return 0;
		} else if (strcmp(filter, "driver=local") != 0) {
			return err_input(e,
					 "invalid filter '%.100s': dangling=, driver=local, "
					 "label=, name=",
					 filter);
		}
	}
	return !named || met;
}

int volume_each(const struct list *filters,
		int (*one)(void *context, const struct volume_seen *s, struct err *e),
		void *context, struct err *e)
{
	const struct volume_seen nothing = {.name = "", .at = volume_none()};
	auto_list struct list names = {0};
	auto_fd int folder = -1;

	if (volume_seen_passes(&nothing, filters, e) < 0)
		return -1;
	folder = volume_open_folder(e);
	if (folder < 0)
		return e->kind == ERR_NONE ? 0 : -1;
	if (names_read(folder, VOLUMES, &names) < 0)
		return err_sys(e, "read the names of volumes");
	for (size_t i = 0; i < names.count; i++) {
		auto_seen struct volume_seen s;
		struct err gone;
		int passes;

		if (volume_see(names.items[i], &s, &gone))
			continue;
		passes = volume_seen_passes(&s, filters, e);
		if (passes < 0 || (passes && one(context, &s, e)))
			return -1;
	}
	return 0;
}
