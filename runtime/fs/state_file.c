/*
 * state_file - open a file of ours in a directory of state.
 */
#include "fs/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/omit.h"

int state_file_open(int dir, const char *name, int flags)
{
	auto_fd int fd =
		openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (S_ISREG(st.st_mode))
		return take_fd(&fd);
	errno = ENXIO;
	return -1;
}

int state_file_replace(int dir, const char *name, const void *bytes, size_t length)
{
	auto_free char *draft = own_printf("%s%s", name, fs_omits("replaced-files") ? "" : ".new");
	auto_fd int fd = -1;

	(void)unlinkat(dir, draft, 0); /* of a process that was killed, or whatever it is */
	fd = state_file_open(dir, draft, O_WRONLY | O_CREAT | O_EXCL);
	return fd < 0 || io_write_all(fd, bytes, length) || renameat(dir, draft, dir, name) ? -1
											    : 0;
}
