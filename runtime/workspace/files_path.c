/*
 * files_path - clean a caller's path.
 */
#include "workspace/files_path.h"

#include <string.h>

#define WORKSPACE "/workspace"

/* The rest after "/workspace/"; NULL for another absolute path. */
static const char *files_path_below_workspace(const char *text)
{
	size_t length = strlen(WORKSPACE);

	if (*text != '/')
		return text;
	if (strncmp(text, WORKSPACE, length) || (text[length] && text[length] != '/'))
		return NULL;
	return text + length;
}

static bool files_path_is_dots(const char *name, size_t length, size_t dots)
{
	return length == dots && !memcmp(name, "..", dots);
}

static int files_path_clean(struct files_path *p, const char *text, const char *rest, struct err *e)
{
	size_t used = 0;

	if (strlen(text) > FILES_PATH_BYTES_MAX)
		return err_input(e, "path %.100s...: longer than %d bytes", text,
				 FILES_PATH_BYTES_MAX);
	p->text[0] = '\0';
	p->name = 0;
	p->directory = true;
	while (*rest) {
		size_t length = strcspn(rest, "/");

		if (files_path_is_dots(rest, length, 2))
			return err_input(e, "path %.300s: \"..\" is not allowed", text);
		if (length > FILES_NAME_BYTES_MAX)
			return err_input(e, "path %.300s: a name is longer than %d bytes", text,
					 FILES_NAME_BYTES_MAX);
		if (length && !files_path_is_dots(rest, length, 1)) {
			if (used)
				p->text[used++] = '/';
			p->name = used;
			memcpy(p->text + used, rest, length);
			used += length;
			p->text[used] = '\0';
			p->directory = rest[length] == '/';
		} else if (length) {
			p->directory = true;
		}
		rest += length;
		rest += *rest == '/';
	}
	return 0;
}

int files_path_set(struct files_path *p, const char *text, struct err *e)
{
	const char *rest = files_path_below_workspace(text);

	p->root = WORKSPACE;
	if (!rest)
		return err_input(e, "path %.300s: neither relative nor below " WORKSPACE, text);
	return files_path_clean(p, text, rest, e);
}

int files_path_set_anywhere(struct files_path *p, const char *text, struct err *e)
{
	p->root = "/";
	if (*text != '/')
		return err_input(e, "path %.300s: not absolute", text);
	return files_path_clean(p, text, text + 1, e);
}

const char *files_path_shown(const struct files_path *p)
{
	return *p->text ? p->text : p->root;
}
