/*
 * name_lock - --name: no two running sandboxes of a user have the same name.
 */
#include "cli/name_lock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/private_dir.h"

/* Root's names hold for all of root, whatever a login's environment says. */
static int name_lock_directory(char *out, size_t size, struct err *e)
{
	if (geteuid() != 0)
		return private_dir_of_user(true, out, size, e);
	snprintf(out, size, PRIVATE_DIR_ROOT);
	return 0;
}

static int name_lock_open_directory(char *path, size_t size, struct err *e)
{
	return name_lock_directory(path, size, e) ? -1 : private_dir_open(path, e);
}

int name_lock(const char *name, int *fd, struct err *e)
{
	char path[PATH_MAX];
	auto_fd int dir = -1;

	if (!name)
		return 0;
	dir = name_lock_open_directory(path, sizeof(path), e);
	if (dir < 0)
		return -1;
	for (;;) {
		auto_fd int file = openat(
			dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		/*
		 * A record lock: the sandbox, which is cloned from us, does not share it
		 * (fcntl(2)).
		 */
		const struct flock ours_alone = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		struct stat ours;
		struct stat named;

		if (file < 0 || fstat(file, &ours))
			return err_sys(e, "open %.200s/%.100s", path, name);
		if (file >= 0 && fcntl(file, F_SETLK, &ours_alone))
			return err_input(
				e,
				"Conflict. The container name \"/%.100s\" is already in use: "
				"choose another --name or wait for its end",
				name);
		/* The last holder may have removed the file between our open and our lock. */
		if (!fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) &&
		    named.st_ino == ours.st_ino) {
			*fd = take_fd(&file);
			return 0;
		}
	}
}

void name_unlock(const char *name, int *fd)
{
	char path[PATH_MAX];
	auto_fd int dir = -1;
	struct err ignored;

	if (!name || *fd < 0)
		return;
	dir = name_lock_open_directory(path, sizeof(path), &ignored);
	if (dir >= 0)
		unlinkat(dir, name, 0);
	own_close(fd);
}
