/*
 * reach - the way from a directory to what a clean path names, through no link and no mount.
 */
#include "mover/reach.h"

#include <errno.h>
#include <fcntl.h>

#include "inside/sys.h"
#include "mover/beneath.h"
#include "mover/path.h"
#include "mover/place.h"

long reach_begin(struct reach *r, const char *root, char *path)
{
	static char here[] = ".";
	size_t length = sys_strlen(path);
	long fd = sys_openat(AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

	r->crosses = root[0] == '/' && !root[1];
	r->wants_directory = !length || path[length - 1] == '/';
	if (fd >= 0 && path_clean(path, &length))
		fd = -EINVAL;
	r->dir = (int)fd;
	r->rest = length ? path : here;
	return fd < 0 ? fd : 0;
}

/* Why the walk cannot go through a name. */
static long reach_why(int dir, const char *name)
{
	struct stat st = {0};
	long n = sys4(__NR_newfstatat, dir, name, &st, AT_SYMLINK_NOFOLLOW);

	return n >= 0 && S_ISLNK(st.st_mode) ? -ELOOP : -ENOTDIR;
}

static long reach_step(const struct reach *r, const char *name, bool make)
{
	long fd = beneath_step(r->dir, name, make);

	if (fd == -ENOTDIR)
		return reach_why(r->dir, name);
	if (fd < 0 || r->crosses || !place_is_mount(r->dir, name))
		return fd;
	sys_close((int)fd);
	return -EXDEV;
}

static char *reach_slash(char *name)
{
	while (*name && *name != '/')
		name++;
	return *name ? name : NULL;
}

long reach_walk(struct reach *r, bool make)
{
	char *slash;

	while ((slash = reach_slash(r->rest))) {
		long fd;

		*slash = '\0';
		fd = reach_step(r, r->rest, make);
		*slash = '/';
		if (fd < 0)
			return fd;
		sys_close(r->dir);
		r->dir = (int)fd;
		r->rest = slash + 1;
	}
	return 0;
}

long reach_look(struct reach *r, const char *root, char *path, struct stat *st)
{
	long n = reach_begin(r, root, path);
	bool is_root;

	if (n < 0)
		return n;
	is_root = r->rest != path;
	n = reach_walk(r, false);
	if (n >= 0)
		n = sys4(__NR_newfstatat, r->dir, r->rest, st, AT_SYMLINK_NOFOLLOW);
	return n >= 0 && !is_root && !r->crosses && place_is_mount(r->dir, r->rest) ? -EXDEV : n;
}
