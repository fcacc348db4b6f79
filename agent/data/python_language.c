/*
 * python_language - does the word after a fence mean Python?
 */
#include "agent/data/python_language.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char *const names[] = {
	"py", "py3", "ipython", "ipython3", "pycon", "tool_code",
};

size_t python_language(const char *info, size_t length)
{
	size_t i = 0;
	size_t n = 0;

	while (i < length && (info[i] == '{' || info[i] == '.'))
		i++;
	while (i + n < length &&
	       (isalnum((unsigned char)info[i + n]) || strchr("_-.", info[i + n])))
		n++;
	if (n >= 6 && !strncasecmp(info + i, "python", 6) &&
	    strspn(info + i + 6, "0123456789.") >= n - 6)
		return i + n;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (n == strlen(names[k]) && !strncasecmp(info + i, names[k], n))
			return i + n;
	return 0;
}
