/*
 * staging - the files that a request wants in a workspace, and those that come out of it again.
 */
#include "serve/staging.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "serve/stage_path.h"

#define MEMBER "files"

size_t staging_read(struct schema *body, struct staging_names **out)
{
	const struct json *list = schema_list(body, MEMBER);
	struct staging_names *names = NULL;
	size_t count = 0;

	for (const struct json *item = list ? json_first(list) : NULL; item;
	     item = json_next(item)) {
		names = own_grow(names, count, sizeof(*names));
		schema_item_string(body, MEMBER, count, item, "path", &names[count].path);
		schema_item_string(body, MEMBER, count, item, "file_id", &names[count].id);
		count++;
	}
	*out = names;
	return count;
}

/* -- in -------------------------------------------------------------------------------------- */

static int staging_explain(const struct staging_names *name, struct err *e)
{
	if (e->kind == ERR_NOT_FOUND)
		err_set(e, ERR_NOT_FOUND, "File with ID '%.100s' not found for path '%.300s'.",
			name->id, name->path);
	return -1;
}

static int staging_set_path(struct staging *s, size_t index, const char *path, bool has_entrypoint,
			    struct err *e)
{
	const char *wrong;
	char *plain;

	wrong = stage_path_clean(path, has_entrypoint, &plain);
	s->files[index].path = plain;
	for (size_t i = 0; !wrong && i < index; i++) {
		if (stage_path_is_above(plain, s->files[i].path) ||
		    stage_path_is_above(s->files[i].path, plain))
			wrong = "One file path is a directory of another.";
	}
	return wrong ? err_input(e, "%s", wrong) : 0;
}

int staging_plan(const struct file_store *store, const char *owner,
		 const struct staging_names *names, size_t count, bool has_entrypoint,
		 struct staging *out, struct err *e)
{
	*out = (struct staging){0};
	if (count > STAGING_FILES_MAX)
		return err_input(e, "A request has at most %d files.", STAGING_FILES_MAX);
	out->files = own_zeroed(count + 1, sizeof(*out->files));
	out->stored = own_zeroed(count + 1, sizeof(*out->stored));
	for (; out->count < count; out->count++) {
		struct stored_file *stored = &out->stored[out->count];
		const struct staging_names *name = &names[out->count];

		out->files[out->count].fd = -1;
		if (file_store_find(store, owner, name->id, stored, e))
			return staging_explain(name, e);
		out->files[out->count].size_bytes = stored->size_bytes;
	}
	for (size_t i = 0; i < count; i++) {
		if (staging_set_path(out, i, names[i].path, has_entrypoint, e))
			return -1;
	}
	return 0;
}

int staging_open(const struct file_store *store, const char *owner, struct staging *s,
		 struct err *e)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct staging_names name = {s->files[i].path, s->stored[i].id};
		struct stored_file same;

		if (file_store_open_file(store, owner, name.id, &same, &s->files[i].fd, e))
			return staging_explain(&name, e);
	}
	return 0;
}

void staging_fini(struct staging *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free((char *)s->files[i].path);
		own_close(&s->files[i].fd);
	}
	free(s->files);
	free(s->stored);
	*s = (struct staging){0};
}

/* -- out ------------------------------------------------------------------------------------- */

static bool staging_has(const struct staging *s, const struct collected_file *file)
{
	for (size_t i = 0; i < s->count; i++) {
		if (!strcmp(s->files[i].path, file->path) &&
		    !strcmp(s->stored[i].sha256, file->sha256))
			return true;
	}
	return false;
}

/* Its directory is ours, as is everything in it. false: there was no room for it. */
static bool staging_adopt_one(struct file_store *store, const char *owner, int directory_fd,
			      const struct collected_file *file, struct stored_file *out)
{
	const char *slash = strrchr(file->path, '/');
	auto_free char *folder = own_strndup(file->path, slash ? (size_t)(slash - file->path) : 0);
	auto_fd int fd = openat(directory_fd, slash ? folder : ".",
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct err e;

	return fd >= 0 && !file_store_adopt(store, owner, fd, slash ? slash + 1 : file->path,
					    file->sha256, file->path, out, &e);
}

/* They are all on the disk, or none is there. */
static void staging_settle(struct file_store *store, const char *owner,
			   char (*ids)[FILE_STORE_ID_SIZE], size_t count)
{
	struct err e;

	if (!file_store_settle(store, &e))
		return;
	say_error(&e);
	for (size_t i = 0; i < count; i++) {
		if (*ids[i])
			(void)file_store_delete(store, owner, ids[i], &e);
		*ids[i] = '\0';
	}
}

static void staging_put(const struct collected_file *file, const char *id, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_bytes(out, "path", file->path, strlen(file->path));
	json_put_text(out, "kind", "file");
	json_put_text(out, "file_id", *id ? id : NULL);
	json_put_uint(out, "size_bytes", file->size_bytes);
	json_put_end(out, '}');
}

void staging_adopt(const struct staging *s, struct file_store *store, const char *owner,
		   int directory_fd, const struct collected *collected, struct buf *out)
{
	auto_free char(*ids)[FILE_STORE_ID_SIZE] = own_zeroed(collected->count + 1, sizeof(*ids));
	bool has_any = false;

	for (size_t i = 0; i < collected->count; i++) {
		const struct collected_file *file = &collected->files[i];
		struct stored_file stored;

		if (staging_has(s, file) ||
		    !staging_adopt_one(store, owner, directory_fd, file, &stored))
			continue;
		memcpy(ids[i], stored.id, sizeof(ids[i]));
		has_any = true;
	}
	if (has_any)
		staging_settle(store, owner, ids, collected->count);
	json_put_begin(out, "files", '[');
	for (size_t i = 0; i < collected->count; i++) {
		if (!staging_has(s, &collected->files[i]))
			staging_put(&collected->files[i], ids[i], out);
	}
	json_put_end(out, ']');
}
