/*
 * temporary_dir - a directory with a random name, and those that killed processes have left.
 */
#include "fs/temporary_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "fs/names.h"

#define RANDOM_LENGTH 6
#define NAMES_MOST    100000 /* other users make names in /tmp, too */
#define YOUNG_S       3600
#define DIRECTORY     (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

int temporary_dir_make(char *path)
{
	auto_fd int lock = -1;

	if (!mkdtemp(path))
		return -1;
	lock = open(path, DIRECTORY);
	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB)) {
		int error = errno;

		rmdir(path);
		errno = error;
		return -1;
	}
	return take_fd(&lock);
}

static bool temporary_dir_is_left(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
	       st.st_mtime < time(NULL) - YOUNG_S && !flock(fd, LOCK_EX | LOCK_NB);
}

void temporary_dir_find_left(const char *like,
			     void (*each)(const char *path, int fd, void *context), void *context)
{
	const char *name = strrchr(like, '/') + 1;
	const size_t length = strlen(name);
	auto_free char *around = own_strndup(like, (size_t)(name - like));
	auto_fd int around_fd = open(around, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_list struct list names = {0};

	if (around_fd < 0)
		return;
	(void)names_read(around_fd, NAMES_MOST, &names);
	for (size_t i = 0; i < names.count; i++) {
		const char *found = names.items[i];
		auto_free char *path = NULL;
		auto_fd int fd = -1;

		if (strlen(found) != length || strncmp(found, name, length - RANDOM_LENGTH) != 0)
			continue;
		fd = openat(around_fd, found, DIRECTORY);
		path = own_printf("%s%s", around, found);
		if (temporary_dir_is_left(fd))
			each(path, fd, context);
	}
}
