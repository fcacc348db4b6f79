/*
 * fd_path - the path that names an open descriptor, and the path of its file.
 */
#include "base/fd_path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

struct fd_path fd_path(int fd)
{
	struct fd_path path;

	snprintf(path.text, sizeof(path.text), "/proc/self/fd/%d", fd);
	return path;
}

int fd_path_read(int fd, char out[PATH_MAX])
{
	ssize_t n = readlink(fd_path(fd).text, out, PATH_MAX);

	if (n == PATH_MAX)
		errno = ENAMETOOLONG;
	if (n < 0 || n == PATH_MAX)
		return -1;
	out[n] = '\0';
	return 0;
}

int fd_path_below(int root_fd, int fd, char out[PATH_MAX])
{
	char root[PATH_MAX];
	size_t length;

	if (fd_path_read(root_fd, root) || fd_path_read(fd, out))
		return -1;
	length = strcmp(root, "/") ? strlen(root) : 0;
	if (length && !path_is_at_or_below(out, root))
		return -1;
	memmove(out, out + length, strlen(out) - length + 1);
	return 0;
}
