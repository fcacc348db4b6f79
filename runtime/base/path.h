/*
 * path - compare absolute, normal paths, as text only. No side effects.
 */
#ifndef GLOVEBOX_BASE_PATH_H
#define GLOVEBOX_BASE_PATH_H

#include <stdbool.h>
#include <string.h>

/* "/a/b" is below "/a"; "/a" itself and "/ab" are not. */
static inline bool path_is_below(const char *path, const char *parent)
{
	size_t length = strlen(parent);

	return !strncmp(path, parent, length) && path[length] == '/';
}

static inline bool path_is_at_or_below(const char *path, const char *parent)
{
	return !strcmp(path, parent) || path_is_below(path, parent);
}

#endif
