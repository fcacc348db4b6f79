/*
 * stage_path - the path of a staged file in a workspace.
 */
#include "serve/stage_path.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"

#define NAME_MOST  255
#define PATH_MOST  1024
#define ENTRYPOINT "__main__.py"

const char *stage_path_clean(const char *path, bool has_entrypoint, char **out)
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

bool stage_path_is_above(const char *a, const char *b)
{
	size_t length = strlen(a);

	return !strncmp(a, b, length) && b[length] == '/';
}
