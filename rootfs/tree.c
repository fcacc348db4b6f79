/*
 * tree - walk and remove directory trees by descriptor, following no link.
 */
#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/own.h"
#include "interrupt.h"

struct names {
	char **items;
	size_t count;
};

struct walk {
	tree_visit *visit;
	void *context;
	struct buf path;
	int depth;
};

static void names_fini(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->items[i]);
	free(n->items);
}
#define auto_names __attribute__((cleanup(names_fini)))

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static void names_add(struct names *n, const char *name)
{
	if ((n->count & (n->count - 1)) == 0) {
		n->items = reallocarray(n->items, n->count ? n->count * 2 : 1, sizeof(char *));
		if (!n->items)
			abort();
	}
	n->items[n->count] = strdup(name);
	if (!n->items[n->count++])
		abort();
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory, sorted. dir_fd is borrowed. */
static int names_read(int dir_fd, struct names *out, struct err *e)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		err_sys(e, "read directory");
		own_close(&fd);
		return -1;
	}
	while ((entry = readdir(dir))) {
		if (!is_dot(entry->d_name))
			names_add(out, entry->d_name);
	}
	closedir(dir);
	if (out->count)
		qsort(out->items, out->count, sizeof(char *), by_bytes);
	return 0;
}

static int walk_dir(struct walk *w, int dir_fd, struct err *e);

static int walk_entry(struct walk *w, int dir_fd, const char *name, struct err *e)
{
	const char *path = buf_string(&w->path);
	auto_fd int child = -1;
	struct stat st;

	if (interrupt_check(e))
		return -1;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return err_sys(e, "stat %s", path);
	if (w->visit(dir_fd, name, path, &st, w->context, e))
		return -1;
	if (!S_ISDIR(st.st_mode))
		return 0;
	if (w->depth >= TREE_DEPTH_MAX)
		return err_input(e, "directories are nested deeper than %d: %.200s", TREE_DEPTH_MAX,
				 path);
	child = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (child < 0)
		return err_sys(e, "open %s", path);
	w->depth++;
	if (walk_dir(w, child, e))
		return -1;
	w->depth--;
	return 0;
}

static int walk_dir(struct walk *w, int dir_fd, struct err *e)
{
	auto_names struct names names = {0};
	size_t length = w->path.length;

	if (names_read(dir_fd, &names, e))
		return err_prefix(e, "%s", buf_string(&w->path));
	for (size_t i = 0; i < names.count; i++) {
		buf_text(&w->path, "/");
		buf_text(&w->path, names.items[i]);
		if (walk_entry(w, dir_fd, names.items[i], e))
			return -1;
		w->path.length = length;
		w->path.data[length] = '\0';
	}
	return 0;
}

int tree_walk(int root_fd, const char *prefix, tree_visit *visit, void *context, struct err *e)
{
	struct walk w = {.visit = visit, .context = context};
	struct stat st;
	int status = -1;

	buf_text(&w.path, prefix);
	if (fstat(root_fd, &st))
		err_sys(e, "stat %s", prefix);
	else if (!visit(root_fd, ".", prefix, &st, context, e))
		status = walk_dir(&w, root_fd, e);
	buf_fini(&w.path);
	return status;
}

/* Move a directory into the trash under a name that is free there. */
static int throw_away(int dir_fd, const char *name, int trash_fd, unsigned long *serial,
		      struct err *e)
{
	char to[32];

	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
		return err_sys(e, "remove %s", name);
	/* A rename rewrites the directory's "..", and then it is read: both need its rights. */
	if (fchmodat(dir_fd, name, 0700, 0))
		return err_sys(e, "remove %s", name);
	for (;;) {
		snprintf(to, sizeof(to), "%lu", ++*serial);
		if (!renameat2(dir_fd, name, trash_fd, to, RENAME_NOREPLACE))
			return 0;
		if (errno != EEXIST)
			return err_sys(e, "remove %s", name);
	}
}

/* Unlink what is in one directory of the trash; its directories join it there. */
static int empty_one(int trash_fd, const char *name, unsigned long *serial, struct err *e)
{
	auto_names struct names names = {0};
	auto_fd int dir_fd =
		openat(trash_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir_fd < 0)
		return err_sys(e, "remove %s", name);
	if (names_read(dir_fd, &names, e))
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		if (!unlinkat(dir_fd, names.items[i], 0) ||
		    !unlinkat(dir_fd, names.items[i], AT_REMOVEDIR))
			continue;
		if (throw_away(dir_fd, names.items[i], trash_fd, serial, e))
			return -1;
	}
	if (unlinkat(trash_fd, name, AT_REMOVEDIR))
		return err_sys(e, "remove %s", name);
	return 0;
}

int tree_remove(int dir_fd, const char *name, int trash_fd, struct err *e)
{
	unsigned long serial = 0;

	if (!unlinkat(dir_fd, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return err_sys(e, "remove %s", name);
	if (!unlinkat(dir_fd, name, AT_REMOVEDIR))
		return 0;
	if (throw_away(dir_fd, name, trash_fd, &serial, e))
		return -1;
	for (;;) {
		auto_names struct names names = {0};

		if (names_read(trash_fd, &names, e))
			return -1;
		if (!names.count)
			return 0;
		for (size_t i = 0; i < names.count; i++) {
			if (empty_one(trash_fd, names.items[i], &serial, e))
				return -1;
		}
	}
}

int tree_clear(int dir_fd, int trash_fd, struct err *e)
{
	auto_names struct names names = {0};

	if (names_read(dir_fd, &names, e))
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		if (tree_remove(dir_fd, names.items[i], trash_fd, e))
			return -1;
	}
	return 0;
}
