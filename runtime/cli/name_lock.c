/*
 * name_lock - --name: no two running sandboxes of a user have the same.
 */
#include "cli/name_lock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

static void directory(char *out, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		snprintf(out, size, "/run/glovebox");
	else if (runtime && *runtime == '/')
		snprintf(out, size, "%s/glovebox", runtime);
	else
		snprintf(out, size, "/tmp/glovebox-%u", geteuid());
}

/* The directory may be in /tmp: it must be ours, and no link. */
static int open_directory(char *path, size_t size, struct err *e)
{
	struct stat st;
	int fd;

	directory(path, size);
	if (mkdir(path, 0700) && errno != EEXIST)
		return err_sys(e, "make %.300s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		own_close(&fd);
		return err_sys(e, "open %.300s", path);
	}
	if (st.st_uid != geteuid()) {
		close(fd);
		return err_input(e, "%.300s belongs to another user: set XDG_RUNTIME_DIR", path);
	}
	return fd;
}

int name_lock(const char *name, int *fd, struct err *e)
{
	char path[PATH_MAX];
	auto_fd int dir = -1;

	if (!name)
		return 0;
	dir = open_directory(path, sizeof(path), e);
	if (dir < 0)
		return -1;
	for (;;) {
		auto_fd int file =
			openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		/* A record lock: the sandbox, which is forked from us, does not share it
		 * (fcntl(2)). */
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
	char file[PATH_MAX + 200];

	if (!name || *fd < 0)
		return;
	directory(path, sizeof(path));
	snprintf(file, sizeof(file), "%s/%s", path, name);
	unlink(file);
	own_close(fd);
}
