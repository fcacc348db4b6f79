/*
 * make_dirs - directories on the host that a user named and that do not exist yet.
 */
#include "base/make_dirs.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/make_dir.h"
#include "base/own.h"

static int make_dirs_enter(int *dir_fd, const char *name, const char *path, int length,
			   struct err *e)
{
	auto_fd int fd = openat(*dir_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		fd = make_dir_at(*dir_fd, name, path, length, e);
	else if (fd < 0)
		err_sys(e, "open %.*s", length, path);
	if (fd < 0)
		return -1;
	own_close(dir_fd);
	*dir_fd = take_fd(&fd);
	return 0;
}

int make_dirs(const char *path, struct err *e)
{
	auto_fd int dir_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *rest = path;

	if (dir_fd < 0)
		return err_sys(e, "open /");
	while (*(rest += strspn(rest, "/"))) {
		size_t length = strcspn(rest, "/");
		char name[NAME_MAX + 1];

		errno = ENAMETOOLONG;
		if (length > NAME_MAX)
			return err_sys(e, "open %.300s", path);
		memcpy(name, rest, length);
		name[length] = '\0';
		rest += length;
		if (make_dirs_enter(&dir_fd, name, path, (int)(rest - path), e))
			return -1;
	}
	return take_fd(&dir_fd);
}
