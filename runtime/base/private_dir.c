/*
 * private_dir - a directory of ours for locks and names that nobody else may take.
 */
#include "base/private_dir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

int private_dir_open(const char *path, struct err *e)
{
	auto_fd int fd = -1;
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST)
		return err_sys(e, "make %.300s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %.300s", path);
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return err_input(e, "%.300s must be yours alone: chown, chmod 700", path);
	return take_fd(&fd);
}
