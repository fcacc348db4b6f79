/*
 * remove - remove what has a name, with all that is in it, and never through a link.
 */
#include "mover/remove.h"

#include <errno.h>
#include <fcntl.h>

#include "inside/sys.h"
#include "mover/tar.h"
#include "mover/walk.h"

#define REMOVE_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* The names of the directories that are open, in one path; a level knows where its own ends. */
static char remove_path[TAR_NAME_MOST + 1];

static long remove_enter(int dir, const char *name)
{
	const struct walk_level *above = walk_top();
	size_t length = walk_append(remove_path, above ? above->length : 0, name);
	long fd =
		!length || walk_is_full() ? -ENAMETOOLONG : sys_openat(dir, name, REMOVE_FLAGS, 0);

	if (fd < 0)
		return fd;
	/* It goes anyway: let us take out what is in it. */
	(void)sys2(__NR_fchmod, fd, 0700);
	(void)walk_enter((int)fd, length);
	return 0;
}

/* Remove it at once, or enter it. */
static long remove_one(int dir, const char *name)
{
	long n = sys3(__NR_unlinkat, dir, name, 0);

	if (n == -EISDIR)
		n = sys3(__NR_unlinkat, dir, name, AT_REMOVEDIR);
	return n == -ENOTEMPTY ? remove_enter(dir, name) : n == -ENOENT ? 0 : n;
}

/* The deepest directory is empty. @dir: of the outermost. */
static long remove_left(int dir)
{
	size_t end = walk_top()->length;
	size_t start;

	walk_leave();
	start = walk_top() ? walk_top()->length + 1 : 0;
	remove_path[end] = '\0';
	return sys3(__NR_unlinkat, walk_top() ? walk_top()->fd : dir, remove_path + start,
		    AT_REMOVEDIR);
}

long remove_all(int dir, const char *name)
{
	long n = remove_one(dir, name);

	while (walk_top()) {
		unsigned char type;
		long error = n;
		const char *next = n < 0 ? NULL : walk_next(&type, &error);

		if (next)
			n = remove_one(walk_top()->fd, next);
		else if (error < 0)
			walk_leave();
		else
			n = remove_left(dir);
		n = error < 0 ? error : n;
	}
	return n;
}
