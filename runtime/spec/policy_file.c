/*
 * policy_file - one file of ceilings: the limits of policy/ceiling.json, and what else it bounds.
 */
#include "spec/policy_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "spec/egress_list.h"
#include "spec/egress_within.h"
#include "spec/setting_ceiling.h"

#define FILE_BYTES     65536
#define MOST_SANDBOXES 1000000
#define AT(field)      offsetof(struct policy_file, field)

/* clang-format off */
static const struct setting rows[] = {
	{"mounts", 0, "DIR", GROUP_FILES, FACE_SERVE, SETTING_LIST, AT(mounts), NULL, .repeated = true, .help = "host directories: sources of mounts lie in them"},
	{"egress", 0, "HOST", GROUP_NETWORK, FACE_SERVE, SETTING_LIST, AT(egress), NULL, .repeated = true, .help = "what a sandbox may reach"},
	{"publish", 0, "on|off", GROUP_NETWORK, FACE_SERVE, SETTING_ON_OFF, AT(publish), NULL, .choices = "off|on", .help = "whether ports are published"},
	{"sandboxes", 0, "N", GROUP_PROGRAM, FACE_SERVE, SETTING_COUNT, AT(sandboxes), NULL, .max = MOST_SANDBOXES, .ceiling = true, .help = "that stay, of each user, at once"},
	SETTING_END,
};
/* clang-format on */

/* -- reading --------------------------------------------------------------------------------- */

int policy_file_open(int dir_fd, const char *name, mode_t type, bool users, struct err *e)
{
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ELOOP)
		return err_input(e, "it must not be a link");
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open it");
	if ((st.st_mode & S_IFMT) != type)
		return err_input(e, "it must be a %s", type == S_IFDIR ? "directory" : "file");
	if (st.st_uid != 0 && !(users && st.st_uid == geteuid()))
		return err_input(e, "it must belong to root%s, and belongs to uid %u",
				 users ? " or to you" : "", st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_input(e, "others than %s may write to it: chmod go-w",
				 users ? "its owner" : "root");
	return take_fd(&fd);
}

static int policy_file_check_mounts(const struct list *mounts, struct err *e)
{
	for (size_t i = 0; i < mounts->count; i++) {
		if (mounts->items[i][0] != '/')
			return err_input(e, "\"mounts\": %.200s: a directory is an absolute path",
					 mounts->items[i]);
	}
	return 0;
}

static int policy_file_parse(struct policy_file *f, const struct json *document, struct err *e)
{
	/* Each value is read into its own field: no caller asks whether it was given. */
	const struct setting_table more = {rows, f, NULL};

	if (settings_read_ceiling_with(document, &f->said, more, e))
		return -1;
	f->bounds_mounts = json_get(document, "mounts");
	f->bounds_egress = json_get(document, "egress");
	return policy_file_check_mounts(&f->mounts, e) ||
			       egress_list_add_hosts(&f->said, f->egress.items, f->egress.count, e)
		       ? -1
		       : 0;
}

int policy_file_read(int fd, const char *path, struct policy_file *out, struct err *e)
{
	auto_json struct json *document = NULL;
	auto_buf struct buf text = {0};

	*out = (struct policy_file){.path = own_strdup(path), .publish = 1};
	spec_init(&out->said);
	if (io_read_fd(fd, path, FILE_BYTES, &text, e))
		return -1;
	document = json_parse(buf_string(&text), text.length, e);
	return document ? policy_file_parse(out, document, e) : -1;
}

void policy_file_fini(struct policy_file *f)
{
	own_free(&f->path);
	spec_fini(&f->said);
	list_fini(&f->mounts);
	list_fini(&f->egress);
}

/* -- applying -------------------------------------------------------------------------------- */

/* Mounts of a path of the host that a user said have bounds. */
static bool policy_file_is_bound(const struct mount_spec *m)
{
	return (m->kind == MOUNT_BIND || m->kind == MOUNT_STAGE) && m->source && !m->volume &&
	       m->source_fd < 0;
}

/* In the arena, as the sandbox outlives the files. */
static struct string_list policy_file_places(const struct policy_file *f,
					     const struct sandbox_spec *s)
{
	struct string_list places = {0};
	auto_free char **items = NULL;

	for (size_t k = 0; k < f->mounts.count; k++)
		spec_list_add(s, &places, f->mounts.items[k]);
	items = places.items;
	if (items)
		places.items = spec_copy(s, items, (places.count + 1) * sizeof(*items));
	return places;
}

/* The same; after the last one a row without a file. */
static const struct mount_bound *policy_file_bounds(const struct policy_file *files, size_t count,
						    const struct sandbox_spec *s)
{
	auto_free struct mount_bound *bounds = own_zeroed(count + 1, sizeof(*bounds));
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct policy_file *f = &files[i];

		if (!f->bounds_mounts)
			continue;
		bounds[n].file = spec_strdup(s, f->path);
		bounds[n].places = policy_file_places(f, s);
		n++;
	}
	return n ? spec_copy(s, bounds, (n + 1) * sizeof(*bounds)) : NULL;
}

static void policy_file_bound_sandboxes(const struct policy_file *f, struct sandbox_spec *s)
{
	if (f->sandboxes == SPEC_UNLIMITED ||
	    (s->sandboxes_bound && f->sandboxes >= s->most_sandboxes))
		return;
	s->most_sandboxes = f->sandboxes;
	s->sandboxes_bound = spec_strdup(s, f->path);
}

static int policy_file_check_network(const struct policy_file *f, const struct sandbox_spec *s,
				     struct err *e)
{
	if (f->bounds_egress && egress_within(s, &f->said.egress, f->path, e))
		return -1;
	if (!f->publish && s->egress.published_count)
		return err_set(e, ERR_LIMIT, "--publish: \"publish\" is off in %.300s", f->path);
	return 0;
}

int policy_file_apply(const struct policy_file *files, size_t count, struct sandbox_spec *s,
		      struct err *e)
{
	const struct mount_bound *bounds = policy_file_bounds(files, count, s);

	for (size_t i = 0; i < s->mount_count; i++)
		s->mounts[i].bounds = policy_file_is_bound(&s->mounts[i]) ? bounds : NULL;
	for (size_t i = 0; i < count; i++) {
		policy_file_bound_sandboxes(&files[i], s);
		if (policy_file_check_network(&files[i], s, e))
			return -1;
	}
	return 0;
}

/* -- showing --------------------------------------------------------------------------------- */

static void policy_file_write_list(const char *name, const struct list *items, struct buf *out)
{
	buf_printf(out, "%s ", name);
	for (size_t i = 0; i < items->count; i++)
		buf_printf(out, "%s%s", i ? " " : "", items->items[i]);
	buf_text(out, items->count ? "" : "none");
}

void policy_file_write(const struct policy_file *f, const char *before, const char *between,
		       struct buf *out)
{
	for (int i = 0; i < 4; i++) {
		const bool said[] = {f->bounds_mounts, f->bounds_egress, !f->publish,
				     f->sandboxes != SPEC_UNLIMITED};

		if (!said[i])
			continue;
		buf_text(out, before);
		if (i < 2)
			policy_file_write_list(rows[i].name, i ? &f->egress : &f->mounts, out);
		else if (i == 2)
			buf_text(out, "publish off");
		else
			buf_printf(out, "sandboxes %" PRIu64, f->sandboxes);
		buf_printf(out, " (%s)", f->path);
		before = between;
	}
}
