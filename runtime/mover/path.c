/*
 * path - the name of a member as a way down from a directory.
 */
#include "mover/path.h"

#include <stdbool.h>

static bool path_is_dots(const char *part, size_t size, size_t dots)
{
	return size == dots && part[0] == '.' && part[size - 1] == '.';
}

const char *path_clean(char *path, size_t *length)
{
	size_t from = 0;
	size_t to = 0;

	while (path[from]) {
		size_t size = 0;

		while (path[from + size] && path[from + size] != '/')
			size++;
		if (path_is_dots(path + from, size, 2))
			return "\"..\" in a name";
		if (size > PATH_PART_MOST)
			return "a name is too long";
		if (size && !path_is_dots(path + from, size, 1)) {
			if (to)
				path[to++] = '/';
			for (size_t i = 0; i < size; i++) /* to the left, or where it is */
				path[to++] = path[from + i];
		}
		from += size;
		while (path[from] == '/')
			from++;
	}
	path[to] = '\0';
	*length = to;
	return NULL;
}

size_t path_last(const char *path, size_t length)
{
	while (length && path[length - 1] != '/')
		length--;
	return length;
}
