/*
 * staging - the files that a request puts into a workspace.
 */
#include "request/staging.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"

#define MEMBER     "files"
#define NAME_MOST  255
#define PATH_MOST  1024
#define ENTRYPOINT "__main__.py"

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

/*
 * Make a relative path canonical: remove doubled slashes and single dots.
 *
 * @has_entrypoint  __main__.py at the top of the workspace is reserved for the program.
 * @out             on success the path, owned by the caller; else NULL.
 * Returns NULL, or the error as a sentence of the reference API.
 */
static const char *staging_clean_path(const char *path, bool has_entrypoint, char **out)
{
	auto_buf struct buf plain = {0};

	*out = NULL;
	if (*path == '/')
		return "File paths must be relative.";
	while (*path) {
		size_t length = strcspn(path, "/");
		bool is_dot = length == 1 && path[0] == '.';

		if (length == 2 && path[0] == '.' && path[1] == '.')
			return "File paths must not contain '..'.";
		if (length > NAME_MOST || plain.length + length >= PATH_MOST)
			return "File path is too long.";
		if (length && !is_dot) {
			buf_text(&plain, plain.length ? "/" : "");
			buf_add(&plain, path, length);
		}
		path += length + (path[length] == '/');
	}
	if (!plain.length)
		return "File path must not be empty.";
	if (has_entrypoint && !strcmp(plain.data, ENTRYPOINT))
		return "File path '" ENTRYPOINT "' is reserved for the execution entrypoint.";
	*out = buf_take(&plain);
	return NULL;
}

/* Whether one of two different clean paths is a directory above the other. */
static bool staging_is_above(const char *a, const char *b)
{
	size_t length = strlen(a);

	return !strncmp(a, b, length) && b[length] == '/';
}

static int staging_set_path(struct staging *s, size_t index, const char *path, bool has_entrypoint,
			    struct err *e)
{
	const char *wrong;
	char *plain;

	wrong = staging_clean_path(path, has_entrypoint, &plain);
	s->files[index].path = plain;
	for (size_t i = 0; !wrong && i < index; i++) {
		if (staging_is_above(plain, s->files[i].path) ||
		    staging_is_above(s->files[i].path, plain))
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
	out->holds = own_zeroed(count + 1, sizeof(*out->holds));
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

int staging_open(struct file_store *store, const char *owner, struct staging *s, struct err *e)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct staging_names name = {s->files[i].path, s->stored[i].id};
		struct stored_file same;

		if (file_store_open_file(store, owner, name.id, &same, &s->files[i].fd,
					 &s->holds[i], e))
			return staging_explain(&name, e);
	}
	return 0;
}

void staging_fini(struct staging *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free((char *)s->files[i].path);
		own_close(&s->files[i].fd);
		file_store_hold_end(&s->holds[i]);
	}
	free(s->holds);
	free(s->files);
	free(s->stored);
	*s = (struct staging){0};
}
