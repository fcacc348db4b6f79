/*
 * remove - remove what has a name, with all that is in it, and never through a link.
 */
#include "mover/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>

#include "inside/sys.h"
#include "mover/files.h"
#include "mover/reach.h"
#include "mover/said.h"
#include "mover/tar.h"
#include "mover/walk.h"

#define REMOVE_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* The names of the directories that are open, in one path; a level knows where its own ends. */
static char remove_path[TAR_NAME_MOST + 1];
static unsigned long remove_moved; /* directories that were moved up, numbered */

/* A directory that lies too deep goes to the top of the tree, and is met there again. */
static long remove_move_up(int dir, const char *name)
{
	char up[] = ".glovebox-0000000000000000";
	long n;

	do {
		unsigned long left = ++remove_moved;

		for (size_t at = sizeof(up) - 2; left; left /= 10)
			up[at--] = (char)('0' + left % 10);
		n = sys5(__NR_renameat2, dir, name, walk_at(0)->fd, up, RENAME_NOREPLACE);
	} while (n == -EEXIST);
	return n;
}

static long remove_open(int dir, const char *name)
{
	long fd = sys_openat(dir, name, REMOVE_FLAGS, 0);

	/* It goes anyway: let us read it. */
	if (fd == -EACCES && sys3(__NR_fchmodat, dir, name, 0700) >= 0)
		fd = sys_openat(dir, name, REMOVE_FLAGS, 0);
	return fd;
}

static long remove_enter(int dir, const char *name)
{
	const struct walk_level *above = walk_top();
	size_t length = walk_append(remove_path, above ? above->length : 0, name);
	long fd;

	if (!length || walk_is_full())
		return above ? remove_move_up(dir, name) : -ENAMETOOLONG;
	fd = remove_open(dir, name);
	if (fd < 0)
		return fd;
	/* Let us take out what is in it. */
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

/*
 * The deepest directory is empty, or was: what has been made in it since is removed in another
 * turn. @dir: of the outermost.
 */
static long remove_left(int dir)
{
	size_t end = walk_top()->length;
	size_t start;
	long n;

	walk_leave();
	start = walk_top() ? walk_top()->length + 1 : 0;
	remove_path[end] = '\0';
	dir = walk_top() ? walk_top()->fd : dir;
	n = sys3(__NR_unlinkat, dir, remove_path + start, AT_REMOVEDIR);
	return n == -ENOTEMPTY ? remove_enter(dir, remove_path + start) : n == -ENOENT ? 0 : n;
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

void remove_run(char **words)
{
	struct reach r;
	struct stat st = {0};
	long n = reach_look(&r, words[0], words[1], &st);

	said.mode = st.st_mode;
	if (n >= 0 && r.wants_directory && !S_ISDIR(st.st_mode))
		said_wrong(NULL, FILES_NOT_WANTED);
	else if (n >= 0)
		n = remove_all(r.dir, r.rest);
	if (n < 0)
		said_error(NULL, n == -EBUSY ? -EXDEV : n); /* something is mounted there */
}
