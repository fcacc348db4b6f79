/*
 * http_path - whether the path of a request is a route's.
 */
#include "web/http_path.h"

#include <stddef.h>
#include <string.h>

#include "base/own.h"
#include "web/percent.h"

#define REST "/**"

/* The rest behind the two stars, which take segments; NULL: @pattern does not begin with them. */
static const char *http_path_behind_rest(const char *pattern)
{
	return strncmp(pattern, REST, strlen(REST)) != 0 ? NULL : pattern + strlen(REST);
}

/* How many bytes of the path two stars take; 0: what is behind them is not its end. */
static size_t http_path_rest(const char *behind, const char *path)
{
	const size_t length = strlen(path);
	const size_t end = strlen(behind);

	return length > end + 1 && !strcmp(path + length - end, behind) ? length - end - 1 : 0;
}

bool http_path_fits(const char *pattern, const char *path)
{
	while (*pattern == '/' && *path == '/') {
		size_t wanted = strcspn(pattern + 1, "/");
		size_t length = strcspn(path + 1, "/");
		bool is_star = wanted == 1 && pattern[1] == '*';

		if (http_path_behind_rest(pattern))
			return http_path_rest(http_path_behind_rest(pattern), path) > 0;
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

		if (http_path_behind_rest(pattern)) {
			*out = own_strndup(path + 1,
					   http_path_rest(http_path_behind_rest(pattern), path));
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
