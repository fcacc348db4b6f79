/*
 * resolve - open a path under rules for its resolution: openat2(2).
 */
#include "fs/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_TRIES = 1000 }; /* a bound against a racer who renames on purpose */

int resolve_open(int dir_fd, const char *path, int flags, uint64_t rules)
{
	struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = rules};
	int fd = -1;

	for (int tries = 0; tries < MAX_TRIES; tries++) {
		fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
}

bool resolve_is_mount(int dir_fd, const char *name)
{
	struct statx st;

	return !statx(dir_fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &st) &&
	       (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}
