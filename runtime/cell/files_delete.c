/*
 * files_delete - remove something from a session's /workspace, with all that is in it.
 *
 * A tree is flattened, not walked: a directory that is not empty is emptied of
 * files, and its own directories are moved up into the one that is to go, where
 * they have their turn. So neither depth nor a program that moves things about
 * costs more than six descriptors.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "cell/files.h"
#include "cell/files_reach.h"

struct removal {
	const struct files_reach *r;
	int top_fd; /* the directory that is to go; borrowed */
	struct err *e;
};

/* What to do with one entry; -1 with *e set ends it all. */
typedef int treat(const struct removal *m, int dir_fd, const char *name);

/* -1 with errno; ENOTEMPTY of a directory in use, EXDEV of a mount. */
static int remove_one(int dir_fd, const char *name)
{
	if (files_reach_is_mount(dir_fd, name)) {
		errno = EXDEV;
		return -1;
	}
	if (!unlinkat(dir_fd, name, 0))
		return 0;
	return errno == EISDIR ? unlinkat(dir_fd, name, AT_REMOVEDIR) : -1;
}

/* It was replaced while we looked: nothing is wrong, and the next pass sees what it is now. */
static bool moved_about(void)
{
	return errno == ENOENT || errno == ENOTDIR || errno == EISDIR || errno == ELOOP;
}

static int failed(const struct removal *m)
{
	return moved_about() ? 0 : files_reach_error(m->r->path.text, m->e);
}

/* A directory that is to go loses its modes first. */
static int open_to_empty(int dir_fd, const char *name)
{
	auto_fd int fd = resolve_open(dir_fd, name, O_PATH | O_DIRECTORY, FILES_BENEATH);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	if ((st.st_mode & S_IRWXU) != S_IRWXU && chmod(files_reach_self(fd).path, S_IRWXU))
		return -1;
	return take_fd(&fd);
}

/* How many entries there were; -1 with *e set. */
static long each_entry(const struct removal *m, int dir_fd, treat *treat_one)
{
	auto_entries DIR *dir = files_reach_entries(dir_fd);
	struct dirent *entry;
	long seen = 0;

	if (!dir)
		return files_reach_error(m->r->path.text, m->e);
	while ((entry = readdir(dir))) {
		if (files_is_dot(entry->d_name))
			continue;
		if (files_reach_check(m->r, m->e) || treat_one(m, dir_fd, entry->d_name))
			return -1;
		seen++;
	}
	return seen;
}

/* In a directory below the top. Moving a directory rewrites its "..", which takes its rights. */
static int remove_or_lift(const struct removal *m, int dir_fd, const char *name)
{
	struct files_name to = files_reach_name();
	auto_fd int fd = -1;

	if (!remove_one(dir_fd, name))
		return 0;
	if (errno != ENOTEMPTY)
		return failed(m);
	fd = open_to_empty(dir_fd, name);
	if (fd < 0 || renameat2(dir_fd, name, m->top_fd, to.text, RENAME_NOREPLACE))
		return failed(m);
	return 0;
}

/* In the top. What is not empty yet will be seen by the next pass. */
static int remove_or_empty(const struct removal *m, int dir_fd, const char *name)
{
	auto_fd int fd = -1;

	if (!remove_one(dir_fd, name))
		return 0;
	if (errno != ENOTEMPTY)
		return failed(m);
	fd = open_to_empty(dir_fd, name);
	if (fd < 0)
		return failed(m);
	if (each_entry(m, fd, remove_or_lift) < 0)
		return -1;
	return remove_one(dir_fd, name) && errno != ENOTEMPTY ? failed(m) : 0;
}

static int empty(const struct files_reach *r, int dir_fd, const char *name, struct err *e)
{
	auto_fd int top = open_to_empty(dir_fd, name);
	struct removal m = {.r = r, .top_fd = top, .e = e};
	long seen;

	if (top < 0)
		return failed(&m);
	do
		seen = each_entry(&m, top, remove_or_empty);
	while (seen > 0);
	return seen < 0 ? -1 : 0;
}

/* The directory around it; *name is set to what it is called there. */
static int open_parent(struct files_reach *r, const char **name)
{
	char *text = r->path.text;
	size_t at = r->path.name;
	int fd;

	*name = text + at;
	if (at)
		text[at - 1] = '\0';
	fd = resolve_open(r->root_fd, at ? text : ".", O_PATH | O_DIRECTORY, FILES_BENEATH);
	if (at)
		text[at - 1] = '/';
	return fd;
}

int files_delete(int root_fd, const char *path, bool recursive, const struct files_rules *rules,
		 struct err *e)
{
	auto_reach struct files_reach r = {0};
	auto_fd int dir_fd = -1;
	const char *name;
	struct stat st;

	if (files_reach_begin(&r, root_fd, path, rules, e) || files_reach_named(&r, e))
		return -1;
	dir_fd = open_parent(&r, &name);
	if (dir_fd < 0 || fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return files_reach_error(r.path.text, e);
	if (r.path.directory && !S_ISDIR(st.st_mode))
		return err_input(e, "%.300s/: a %s, not a directory", r.path.text,
				 files_reach_type(st.st_mode));
	while (remove_one(dir_fd, name)) {
		if (errno == ENOENT)
			return 0;
		if (errno == ENOTEMPTY && recursive) {
			if (empty(&r, dir_fd, name, e))
				return -1;
		} else if (!moved_about()) {
			return files_reach_error(r.path.text, e);
		}
		if (files_reach_check(&r, e))
			return -1;
	}
	return 0;
}
