/*
 * exec_files - the files of storage sessions that a program of LibreChat's is given.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "librechat/exec.h"
#include "request/server.h"

#define NO_FILES   "files: objects of id, name and storage_session_id"
#define NOT_THEIRS "Unauthorized file reference"

/* A file that a client names. */
struct reference {
	char id[FILE_STORE_ID_SIZE];
	char folder[STORED_FOLDER_SIZE]; /* that it has to lie in */
};

bool exec_files_is_name(const char *text)
{
	if (!*text)
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

static int exec_files_read_one(const struct json *file, struct reference *to,
			       struct staging_names *names, struct err *e)
{
	const char *id = json_string_at(file, "id");
	const char *session = json_string_at(file, "storage_session_id");

	session = session ? session : json_string_at(file, "session_id");
	names->path = json_string_at(file, "name");
	names->id = to->id;
	if (!id || !names->path || !exec_files_is_name(names->path) || !session ||
	    !stored_id_read(id, to->id) || !stored_id_folder(session, to->folder))
		return err_input(e, NO_FILES);
	return 0;
}

/* The last of two files at one path counts. */
static size_t exec_files_slot(const struct staging_names *names, size_t count, const char *path)
{
	size_t i = 0;

	while (i < count && strcmp(names[i].path, path) != 0)
		i++;
	return i;
}

static int exec_files_plan(struct exec *x, const struct reference *references,
			   const struct staging_names *names, size_t count, struct err *e)
{
	struct staging *s = &x->run.staging;

	if (staging_plan(x->run.server->files, x->run.key->id, names, count, true, s, e))
		return e->kind == ERR_NOT_FOUND ? err_set(e, ERR_DENIED, NOT_THEIRS) : -1;
	for (size_t i = 0; i < count; i++) {
		const struct reference *r = &references[i];

		if (strncmp(s->stored[i].filename, r->folder, strlen(r->folder)) != 0)
			return err_set(e, ERR_DENIED, NOT_THEIRS);
	}
	return 0;
}

int exec_files_read(struct exec *x, const struct json *files, struct err *e)
{
	const size_t most = json_is_array(files) ? json_count(files) : 0;
	auto_free struct reference *references = own_zeroed(most + 1, sizeof(*references));
	auto_free struct staging_names *names = own_zeroed(most + 1, sizeof(*names));
	size_t count = 0;

	if (files && !json_is_array(files))
		return err_input(e, NO_FILES);
	for (const struct json *n = json_first(files); n; n = json_next(n)) {
		const char *name = json_string_at(n, "name");
		const size_t at = exec_files_slot(names, count, name ? name : "");

		if (exec_files_read_one(n, &references[at], &names[at], e))
			return -1;
		count += at == count;
	}
	return exec_files_plan(x, references, names, count, e);
}
