/*
 * hostname - canonical spelling and comparison of host names.
 */
#include "net/hostname.h"

#include <string.h>

/* Without a locale: 'A' to 'Z' only. Returns 0 for a character that labels cannot have. */
static char hostname_letter(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
		return c;
	return '\0';
}

static bool hostname_is_label(const char *label, size_t size)
{
	return size >= 1 && size <= HOST_LABEL_MAX && label[0] != '-' && label[size - 1] != '-';
}

/*
 * Whether inet_aton(3), or a browser, would take a name with this last label for an IPv4 address.
 */
static bool hostname_is_number(const char *label)
{
	if (label[0] == '0' && label[1] == 'x')
		return strspn(label + 2, "0123456789abcdef") == strlen(label + 2);
	return strspn(label, "0123456789") == strlen(label);
}

int host_name_canonical(const char *text, size_t size, char out[HOST_NAME_SIZE])
{
	char name[HOST_NAME_SIZE];
	size_t start = 0; /* of the label */

	if (!size || size > HOST_NAME_SIZE)
		return -1;
	if (text[size - 1] == '.')
		size--;
	if (!size || size == HOST_NAME_SIZE)
		return -1;
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '.') {
			if (!hostname_is_label(name + start, i - start))
				return -1;
			name[i] = '.';
			start = i + 1;
			continue;
		}
		name[i] = hostname_letter(text[i]);
		if (!name[i])
			return -1;
	}
	name[size] = '\0';
	if (!hostname_is_label(name + start, size - start) || hostname_is_number(name + start))
		return -1;
	memcpy(out, name, size + 1);
	return 0;
}

int host_name_pattern_canonical(const char *text, size_t size, char out[HOST_NAME_SIZE])
{
	char name[HOST_NAME_SIZE];
	size_t length;

	if (size < 2 || text[0] != '*' || text[1] != '.')
		return host_name_canonical(text, size, out);
	if (host_name_canonical(text + 2, size - 2, name))
		return -1;
	/* The shortest matching name has one character in place of the star. */
	length = strlen(name);
	if (length + 2 >= HOST_NAME_SIZE)
		return -1;
	out[0] = '*';
	out[1] = '.';
	memcpy(out + 2, name, length + 1);
	return 0;
}

static bool hostname_is_wild(const char *pattern)
{
	return pattern[0] == '*' && pattern[1] == '.' && pattern[2];
}

bool host_name_matches(const char *pattern, const char *name)
{
	if (!hostname_is_wild(pattern))
		return *name && !strcmp(pattern, name);
	return host_name_wild_bytes(pattern, name) > 0;
}

size_t host_name_wild_bytes(const char *pattern, const char *name)
{
	size_t rest;
	size_t length;

	if (!hostname_is_wild(pattern))
		return 0;
	rest = strlen(pattern + 1); /* with its dot */
	length = strlen(name);
	if (length <= rest || strcmp(name + length - rest, pattern + 1) != 0)
		return 0;
	return length - rest;
}
