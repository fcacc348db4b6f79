/*
 * names - list the names in a directory.
 */
#include "fs/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "base/own.h"

static bool names_is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

int names_read(int dir_fd, size_t most, struct list *out)
{
	auto_fd int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int more = 0;
	int error;

	*out = (struct list){0};
	if (!dir)
		return -1;
	take_fd(&fd);
	errno = 0; /* only errno tells an error of readdir() from the end */
	while (!more && (entry = readdir(dir))) {
		if (names_is_dot(entry->d_name))
			continue;
		if (out->count == most)
			more = 1;
		else
			list_add(out, entry->d_name);
		errno = 0;
	}
	error = more ? 0 : errno;
	closedir(dir);
	if (error) {
		list_fini(out);
		errno = error;
		return -1;
	}
	list_sort(out);
	return more;
}
