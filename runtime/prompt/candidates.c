/*
 * candidates - complete a name that a person types.
 */
#include "prompt/candidates.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

char *candidates_name(const char *line, const char *cursor)
{
	const char *start = cursor;

	while (start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_' ||
				start[-1] == '.' || (unsigned char)start[-1] >= 0x80))
		start--;
	return own_strndup(start, (size_t)(cursor - start));
}

size_t candidates_common(const char *lines)
{
	size_t common = strcspn(lines, "\n");

	for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t same = 0;

		while (same < common && p[same] == lines[same])
			same++;
		common = same;
	}
	while (common && ((unsigned char)lines[common] & 0xc0) == 0x80)
		common--; /* not within a character */
	return common;
}

void candidates_list(const char *lines)
{
	fputs("\n", stderr);
	for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n')
		fprintf(stderr, "%.*s  ", (int)strcspn(p, "\n"), p);
	fputs("\n", stderr);
}
