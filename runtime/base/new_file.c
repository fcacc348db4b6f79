/*
 * new_file - a file that a user named, to be written.
 */
#include "base/new_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/make_dir.h"
#include "base/own.h"

/* Opens the directory of the last name, which *name becomes. */
static int new_file_open_parent(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	auto_free char *parent = NULL;

	*name = slash ? slash + 1 : path;
	parent = slash == path ? own_strdup("/")
		 : slash       ? own_strndup(path, (size_t)(slash - path))
			       : own_strdup(".");
	return open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int new_file_open_in(int parent, const char *name, int flags)
{
	int fd = openat(parent, name, flags | O_NONBLOCK, 0644);

	/* A FIFO without a reader: wait for one. */
	return fd < 0 && errno == ENXIO ? openat(parent, name, flags, 0644) : fd;
}

int new_file_open(const char *path, int more, struct err *e)
{
	const char *name;
	auto_fd int parent = new_file_open_parent(path, &name);
	auto_fd int fd = -1;
	struct stat st;
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | more;

	if (parent < 0 || fstat(parent, &st))
		return err_sys(e, "open %.300s", path);
	if (make_dir_is_exchangeable(&st) || (st.st_mode & S_IWOTH))
		flags |= O_NOFOLLOW; /* in /tmp the link itself can be another user's */
	fd = new_file_open_in(parent, name, flags);
	if (fd < 0 && errno == ELOOP && (flags & O_NOFOLLOW))
		return err_input(e,
				 "%.300s is a link, and other users can write to the directory "
				 "around it: name what it leads to",
				 path);
	if (fd < 0 || fcntl(fd, F_SETFL, 0))
		return err_sys(e, "open %.300s", path);
	return take_fd(&fd);
}
