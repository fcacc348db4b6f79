/*
 * http_path - whether the path of a request is a route's.
 */
#include "serve/http_path.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/own.h"

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

static int http_path_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* Decode in place. */
static int http_path_decode(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		if (*at != '%') {
			*to++ = *at;
			continue;
		}
		if (!isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2]))
			return -1;
		*to = (char)(http_path_digit(at[1]) * 16 + http_path_digit(at[2]));
		if (!*to++)
			return -1;
		at += 2;
	}
	*to = '\0';
	return 0;
}

int http_path_segments(const char *pattern, const char *path, char **out)
{
	while (*pattern && *path) {
		size_t wanted = strcspn(pattern + 1, "/");
		size_t length = strcspn(path + 1, "/");

		if (http_path_takes_rest(pattern)) {
			*out = own_strdup(path + 1);
			return http_path_decode(*out);
		}
		if (wanted == 1 && pattern[1] == '*') {
			*out = own_strndup(path + 1, length);
			if (http_path_decode(*out++))
				return -1;
		}
		pattern += 1 + wanted;
		path += 1 + length;
	}
	return 0;
}
