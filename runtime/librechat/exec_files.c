/*
 * exec_files - the files of storage sessions that a program of LibreChat's is given.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "librechat/exec.h"
#include "request/server.h"

#define NAME_MOST  1000 /* bytes */
#define NO_FILES   "files: objects of id, name and storage_session_id"
#define NOT_THEIRS "Unauthorized file reference"

/* A file that a client names. */
struct reference {
	const char *path; /* borrowed from the body */
	char id[FILE_STORE_ID_SIZE];
	char folder[STORED_FOLDER_SIZE]; /* that it has to lie in */
};

bool exec_files_is_name(const char *text)
{
	if (!*text || strlen(text) > NAME_MOST)
		return false;
	for (;;) {
		const size_t length = strcspn(text, "/");
		const bool is_dots = length <= 2 && strspn(text, ".") >= length;

		if (is_dots || memchr(text, '\\', length))
			return false;
		if (!text[length])
			return true;
		text += length + 1;
	}
}

static int exec_files_read_one(const struct json *file, struct reference *to, struct err *e)
{
	const char *id = json_text_at(file, "id");
	const char *session = json_string_at(file, "storage_session_id");

	session = session ? session : json_text_at(file, "session_id");
	to->path = json_text_at(file, "name");
	if (!exec_files_is_name(to->path) || !stored_id_read(id, to->id) ||
	    !stored_id_folder(session, to->folder))
		return err_input(e, NO_FILES);
	return 0;
}

/* Whether only one of two can be there: they are the same, or one is a directory of the other. */
static bool exec_files_collide(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (!*a && (!*b || *b == '/')) || (!*b && *a == '/');
}

/* A program may have left a directory where a file was: the later one counts. */
static size_t exec_files_drop(struct reference *references, size_t count, const char *path)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		if (!exec_files_collide(references[i].path, path))
			references[left++] = references[i];
	}
	return left;
}

static int exec_files_plan(struct exec *x, const struct reference *references, size_t count,
			   struct err *e)
{
	auto_free struct staging_names *names = own_zeroed(count + 1, sizeof(*names));
	struct staging *s = &x->run.staging;

	for (size_t i = 0; i < count; i++)
		names[i] = (struct staging_names){references[i].path, references[i].id};
	if (staging_plan(x->run.server->files, x->run.key->id, names, count, true, s, e))
		return e->kind == ERR_NOT_FOUND ? err_set(e, ERR_DENIED, NOT_THEIRS) : -1;
	for (size_t i = 0; i < count; i++) {
		const char *folder = references[i].folder;

		if (strncmp(s->stored[i].filename, folder, strlen(folder)) != 0)
			return err_set(e, ERR_DENIED, NOT_THEIRS);
	}
	return 0;
}

int exec_files_read(struct exec *x, const struct json *files, struct err *e)
{
	auto_free struct reference *references = NULL;
	size_t count = 0;

	if (files && !json_is_array(files))
		return err_input(e, NO_FILES);
	if (json_count(files) > STAGING_FILES_MAX)
		return err_input(e, "files: %d at most", STAGING_FILES_MAX);
	references = own_zeroed(json_count(files) + 1, sizeof(*references));
	for (const struct json *n = json_first(files); n; n = json_next(n)) {
		struct reference one = {0};

		if (exec_files_read_one(n, &one, e))
			return -1;
		count = exec_files_drop(references, count, one.path);
		references[count++] = one;
	}
	return exec_files_plan(x, references, count, e);
}
