/*
 * media_type - the type of a body, and the types that a client accepts, from headers.
 */
#include "web/media_type.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define BLANK " \t"

bool media_type_is(const char *header, const char *type)
{
	size_t length = header ? strcspn(header, ";" BLANK) : 0;

	return length && length == strlen(type) && !strncasecmp(header, type, length);
}

/* Match one element of the list; quality values are ignored. */
static bool media_type_fits(const char *range, size_t length, const char *type)
{
	const size_t main = (size_t)(strchr(type, '/') - type) + 1;

	if (length == strlen(type) && !strncasecmp(range, type, length))
		return true;
	if (length == 3 && !memcmp(range, "*/*", length))
		return true;
	return length == main + 1 && range[main] == '*' && !strncasecmp(range, type, main);
}

bool media_type_is_accepted(const char *header, const char *type)
{
	const char *at = header;

	if (!header)
		return true;
	while (*at) {
		at += strspn(at, "," BLANK);
		if (media_type_fits(at, strcspn(at, ",;" BLANK), type))
			return true;
		at += strcspn(at, ",");
	}
	return false;
}
