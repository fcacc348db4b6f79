/*
 * http_path - whether the path of a request is a route's.
 */
#include "web/http_path.h"

#include <stddef.h>
#include <string.h>

#include "base/own.h"
#include "web/percent.h"

static bool http_path_takes_rest(const char *pattern)
{
	return !strcmp(pattern, "/**");
}

bool http_path_fits(const char *pattern, const char *path)
{
	while (*pattern == '/' && *path == '/') {
		size_t wanted = strcspn(pattern + 1, "/");
		size_t length = strcspn(path + 1, "/");
		bool is_star = wanted == 1 && pattern[1] == '*';

		if (http_path_takes_rest(pattern))
			return path[1] != '\0';
		if (is_star ? length == 0
			    : wanted != length || strncmp(pattern + 1, path + 1, length) != 0)
			return false;
		pattern += 1 + wanted;
		path += 1 + length;
	}
	return !*pattern && !*path;
}

int http_path_segments(const char *pattern, const char *path, char **out)
{
	while (*pattern && *path) {
		size_t wanted = strcspn(pattern + 1, "/");
		size_t length = strcspn(path + 1, "/");

		if (http_path_takes_rest(pattern)) {
			*out = own_strdup(path + 1);
			return percent_decode(*out);
		}
		if (wanted == 1 && pattern[1] == '*') {
			*out = own_strndup(path + 1, length);
			if (percent_decode(*out++))
				return -1;
		}
		pattern += 1 + wanted;
		path += 1 + length;
	}
	return 0;
}
