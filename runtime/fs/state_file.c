/*
 * state_file - open a file of ours in a directory of state.
 */
#include "fs/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/own.h"

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
