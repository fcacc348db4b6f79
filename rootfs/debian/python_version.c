/*
 * python_version - find the version of a root's Python.
 */
#include "python_version.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "rootfs/archive/place.h"

/* "3.13": digits, a dot, digits, and short enough for any Python to come. */
static bool python_version_is_version(const char *text)
{
	size_t major = strspn(text, "0123456789");
	size_t minor = text[major] == '.' ? strspn(text + major + 1, "0123456789") : 0;

	return major && minor && !text[major + 1 + minor] && strlen(text) < PYTHON_VERSION_SIZE;
}

int python_version(int root_fd, char out[PYTHON_VERSION_SIZE])
{
	static const char name[] = "python";
	char path[] = "usr/bin";
	auto_fd int bin = place_open(root_fd, path, false);
	char target[256];
	const char *last;
	ssize_t n;

	n = bin < 0 ? -1 : readlinkat(bin, "python3", target, sizeof(target) - 1);
	if (n < 0)
		return -1;
	target[n] = '\0';
	last = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	if (strncmp(last, name, strlen(name)) != 0 ||
	    !python_version_is_version(last + strlen(name)))
		return -1;
	snprintf(out, PYTHON_VERSION_SIZE, "%s", last + strlen(name));
	return 0;
}
