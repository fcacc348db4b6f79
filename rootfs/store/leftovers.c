/*
 * leftovers - measure and remove everything that builds keep in the store for later builds.
 */
#include "leftovers.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/own.h"
#include "fs/names.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define NAMES_MAX 10000

/* In STORE/tmp: a directory, and the lock that builds share while they use it. */
static const struct {
	const char *directory;
	const char *lock;
} places[] = {
	{".kept",   ".bases"      },
	{".layers", ".layers.lock"},
};

#define PLACES (sizeof(places) / sizeof(places[0]))

static int leftovers_open(const struct store *s, const char *directory, struct list *names)
{
	auto_fd int fd = openat(s->tmp_fd, directory, DIRECTORY);

	if (fd >= 0 && names_read(fd, NAMES_MAX, names) < 0)
		return -1;
	return take_fd(&fd);
}

static void leftovers_add(int fd, const char *name, struct leftovers *out)
{
	const char *suffix = strrchr(name, '.');
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	out->bytes += (uint64_t)st.st_blocks * 512;
	out->count += suffix && !strcmp(suffix, ".tar");
}

void leftovers_count(const struct store *s, struct leftovers *out)
{
	*out = (struct leftovers){0};
	for (size_t i = 0; i < PLACES; i++) {
		auto_list struct list names = {0};
		auto_fd int fd = leftovers_open(s, places[i].directory, &names);

		for (size_t k = 0; k < names.count; k++)
			leftovers_add(fd, names.items[k], out);
	}
}

/* Descriptor of the lock, held; -1. */
static int leftovers_lock(const struct store *s, const char *name, struct err *e)
{
	auto_fd int fd = openat(s->tmp_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
		return take_fd(&fd);
	if (fd >= 0 && errno == EWOULDBLOCK)
		return err_set(e, ERR_BUSY, "a build may use the bases: remove them behind it");
	return err_sys(e, "lock %s/tmp/%s", s->path, name);
}

int leftovers_remove(const struct store *s, struct leftovers *out, struct err *e)
{
	*out = (struct leftovers){0};
	for (size_t i = 0; i < PLACES; i++) {
		auto_fd int lock = leftovers_lock(s, places[i].lock, e);
		auto_list struct list names = {0};
		auto_fd int fd = -1;

		if (lock < 0)
			return -1;
		fd = leftovers_open(s, places[i].directory, &names);
		for (size_t k = 0; k < names.count; k++) {
			leftovers_add(fd, names.items[k], out);
			if (unlinkat(fd, names.items[k], 0))
				return err_sys(e, "remove %s/tmp/%s/%.100s", s->path,
					       places[i].directory, names.items[k]);
		}
	}
	return 0;
}
