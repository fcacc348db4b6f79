/*
 * beneath - open directories below one, name by name and never through a link.
 */
#include "mover/beneath.h"

#include <errno.h>
#include <fcntl.h>

#include "inside/sys.h"
#include "mover/path.h"

#define MADE_MODE 0755

void beneath_init(struct beneath *b, int root_fd)
{
	b->root = root_fd;
	b->depth = 0;
	b->deep = -1;
}

long beneath_step(int dir, const char *name, bool make)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	long fd = sys_openat(dir, name, flags, 0);

	if (fd != -ENOENT || !make)
		return fd;
	fd = sys3(__NR_mkdirat, dir, name, MADE_MODE);
	if (fd < 0 && fd != -EEXIST)
		return fd;
	return sys_openat(dir, name, flags, 0);
}

/* Close what is not on the way to a path. */
static void beneath_leave(struct beneath *b, const char *path, size_t length)
{
	unsigned common = 0;
	size_t at = 0;

	for (; common < b->depth; common++) {
		size_t end = b->ends[common];

		while (at < end && at < length && path[at] == b->path[at])
			at++;
		if (at < end || (at < length && path[at] != '/'))
			break;
	}
	while (b->depth > common)
		sys_close(b->fds[--b->depth]);
	if (b->deep >= 0)
		sys_close(b->deep);
	b->deep = -1;
}

/* Take a new descriptor, which is that of path[0] to path[end - 1]. */
static void beneath_keep(struct beneath *b, int fd, const char *path, size_t end)
{
	size_t from = b->depth ? b->ends[b->depth - 1] : 0;

	if (b->depth == BENEATH_KEPT) {
		if (b->deep >= 0)
			sys_close(b->deep);
		b->deep = fd;
		return;
	}
	for (; from < end; from++)
		b->path[from] = path[from];
	b->ends[b->depth] = end;
	b->fds[b->depth++] = fd;
}

int beneath_open(struct beneath *b, const char *path, size_t length, bool make)
{
	char name[PATH_PART_MOST + 1];
	size_t at = 0;
	int fd = b->root;

	beneath_leave(b, path, length);
	if (b->depth) {
		fd = b->fds[b->depth - 1];
		at = b->ends[b->depth - 1] + 1;
	}
	while (at < length) {
		size_t size = 0;
		long next;

		for (; at < length && path[at] != '/'; at++) {
			if (size == PATH_PART_MOST)
				return -ENAMETOOLONG;
			name[size++] = path[at];
		}
		name[size] = '\0';
		next = beneath_step(fd, name, make);
		if (next < 0)
			return (int)next;
		beneath_keep(b, (int)next, path, at);
		fd = (int)next;
		at++;
	}
	return fd;
}
