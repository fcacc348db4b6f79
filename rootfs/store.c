/*
 * store - the writing side of the image store (layout: host/image.h).
 */
#include "store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "host/image.h"
#include "tree.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int make_parents(char *path)
{
	for (char *p = path + 1; *p; p++) {
		int failed;

		if (*p != '/')
			continue;
		*p = '\0';
		failed = mkdir(path, 0755) && errno != EEXIST;
		*p = '/';
		if (failed)
			return -1;
	}
	return mkdir(path, 0755) && errno != EEXIST ? -1 : 0;
}

/* Make a directory unless it is there, and open it. */
static int open_dir(int parent, const char *name, mode_t mode)
{
	if (mkdirat(parent, name, mode) && errno != EEXIST)
		return -1;
	return openat(parent, name, DIRECTORY);
}

int store_open(struct store *s, struct err *e)
{
	auto_fd int tags = -1;
	auto_fd int trees = -1;

	*s = (struct store){.path = image_store_path(), .fd = -1, .tmp_fd = -1};
	if (!s->path)
		return err_input(e, "no place for images: set HOME or GLOVEBOX_IMAGES");
	if (make_parents(s->path))
		return err_sys(e, "make image store %s (GLOVEBOX_IMAGES names another)", s->path);
	s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0)
		return err_sys(e, "open image store %s", s->path);
	tags = open_dir(s->fd, "tags", 0755);
	trees = open_dir(s->fd, "trees", 0755);
	s->tmp_fd = open_dir(s->fd, "tmp", 0700);
	if (tags < 0 || trees < 0 || s->tmp_fd < 0)
		return err_sys(e, "write to image store %s", s->path);
	return 0;
}

void store_close(struct store *s)
{
	own_close(&s->fd);
	own_close(&s->tmp_fd);
	own_free(&s->path);
}

/* The lock of the whole store: closing the descriptor releases it. -1 with *e. */
static int store_lock(const struct store *s, struct err *e)
{
	auto_fd int fd =
		openat(s->tmp_fd, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || flock(fd, LOCK_EX))
		return err_sys(e, "lock image store %s", s->path);
	return take_fd(&fd);
}

/* Remove what builders left that no longer live. The store's lock is held. Best effort. */
static void sweep(const struct work *w)
{
	int fd = openat(w->store->tmp_fd, ".", DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct err ignored;

	if (!dir) {
		own_close(&fd);
		return;
	}
	while ((entry = readdir(dir))) {
		char path[sizeof(entry->d_name) + 8];
		auto_fd int lock = -1;

		if (*entry->d_name == '.' || !strcmp(entry->d_name, w->name))
			continue;
		snprintf(path, sizeof(path), "%s/lock", entry->d_name);
		lock = openat(w->store->tmp_fd, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB))
			continue;
		tree_remove(w->store->tmp_fd, entry->d_name, w->trash_fd, &ignored);
	}
	closedir(dir);
}

int work_start(const struct store *s, struct work *w, struct err *e)
{
	auto_fd int store_lock_fd = -1;
	unsigned long long random;

	*w = (struct work){
		.store = s, .fd = -1, .lock_fd = -1, .trash_fd = -1, .tree_fd = -1, .root_fd = -1};
	store_lock_fd = store_lock(s, e);
	if (store_lock_fd < 0)
		return -1;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "getrandom");
	snprintf(w->name, sizeof(w->name), "%016llx", random);
	w->fd = open_dir(s->tmp_fd, w->name, 0700);
	if (w->fd < 0)
		return err_sys(e, "make work directory in %s", s->path);
	w->lock_fd = openat(w->fd, "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (w->lock_fd < 0 || flock(w->lock_fd, LOCK_EX | LOCK_NB))
		return err_sys(e, "lock work directory in %s", s->path);
	w->trash_fd = open_dir(w->fd, "trash", 0700);
	w->tree_fd = open_dir(w->fd, "tree", 0755);
	if (w->tree_fd >= 0)
		w->root_fd = open_dir(w->tree_fd, "rootfs", 0755);
	if (w->trash_fd < 0 || w->root_fd < 0)
		return err_sys(e, "make work directory in %s", s->path);
	sweep(w);
	return 0;
}

void work_discard(struct work *w)
{
	static const char *const parts[] = {"tree", "archive", "spool", "apt.conf"};
	auto_fd int lock = -1;
	struct err ignored;

	if (w->fd < 0)
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && w->trash_fd >= 0; i++)
		tree_remove(w->fd, parts[i], w->trash_fd, &ignored);
	unlinkat(w->fd, "trash", AT_REMOVEDIR);
	/* A directory without its lock file counts as dead: others may not look in between. */
	lock = store_lock(w->store, &ignored);
	(void)lock;
	unlinkat(w->fd, "lock", 0);
	unlinkat(w->store->tmp_fd, w->name, AT_REMOVEDIR);
	own_close(&w->root_fd);
	own_close(&w->tree_fd);
	own_close(&w->trash_fd);
	own_close(&w->lock_fd);
	own_close(&w->fd);
}

static char *tag_path(const char *reference)
{
	char *path;

	if (asprintf(&path, "tags/%s", reference) < 0)
		abort();
	for (char *p = path + strlen("tags/"); *p; p++)
		*p = *p == '/' ? '+' : *p;
	return path;
}

int store_target(const struct store *s, const char *reference, char **out, struct err *e)
{
	auto_free char *path = tag_path(reference);
	char target[STORE_ID_LENGTH + 16];
	ssize_t n = readlinkat(s->fd, path, target, sizeof(target) - 1);

	if (n < 0 && errno == ENOENT)
		return err_set(e, ERR_NOT_FOUND,
			       "no image \"%s\" in %s; \"glovebox image ls\" shows what there is",
			       reference, s->path);
	if (n < 0)
		return err_sys(e, "read %s/%s", s->path, path);
	target[n] = '\0';
	*out = strdup(target);
	if (!*out)
		abort();
	return 0;
}

static bool is_tagged(const struct store *s, const char *target)
{
	int fd = openat(s->fd, "tags", DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool found = !dir; /* what cannot be read may well be tagged */
	char other[STORE_ID_LENGTH + 16];

	if (!dir)
		own_close(&fd);
	while (dir && !found && (entry = readdir(dir))) {
		ssize_t n = readlinkat(fd, entry->d_name, other, sizeof(other));

		found = n == (ssize_t)strlen(target) && !memcmp(other, target, (size_t)n);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* As store_tag(), the store's lock held. */
static int set_tag(const struct store *s, const char *reference, const char *target, struct err *e)
{
	auto_free char *path = tag_path(reference);
	auto_free char *former = NULL;
	struct err ignored;

	store_target(s, reference, &former, &ignored);
	if (unlinkat(s->tmp_fd, ".tag", 0) && errno != ENOENT)
		return err_sys(e, "tag %s", reference);
	if (symlinkat(target, s->tmp_fd, ".tag") || renameat(s->tmp_fd, ".tag", s->fd, path))
		return err_sys(e, "tag %s", reference);
	if (former && *former == '.' && !is_tagged(s, former))
		fprintf(stderr,
			"glovebox: the former %s stays for what runs on it; \"glovebox image rm "
			"--untagged\" removes it\n",
			reference);
	return 0;
}

int store_tag(const struct store *s, const char *reference, const char *target, struct err *e)
{
	auto_fd int lock = store_lock(s, e);

	if (lock < 0)
		return -1;
	if (strncmp(target, "../trees/", 9) == 0 && faccessat(s->fd, target + 3, F_OK, 0))
		return err_sys(e, "tag %s", reference);
	return set_tag(s, reference, target, e);
}

int store_publish(struct work *w, const char *id, const char *reference, struct err *e)
{
	auto_fd int lock = store_lock(w->store, e);
	char path[STORE_ID_LENGTH + 16];
	char target[STORE_ID_LENGTH + 16];

	if (lock < 0)
		return -1;
	snprintf(path, sizeof(path), "trees/%s", id);
	snprintf(target, sizeof(target), "../trees/%s", id);
	/* After a power failure too a tag must name a whole tree. */
	if (syncfs(w->fd))
		return err_sys(e, "write image to disk");
	if (faccessat(w->store->fd, path, F_OK, AT_SYMLINK_NOFOLLOW) &&
	    renameat(w->fd, "tree", w->store->fd, path))
		return err_sys(e, "move image to %s/%s", w->store->path, path);
	return set_tag(w->store, reference, target, e);
}

/* The tree is gone under its name in one step; what follows may be interrupted. */
static int remove_tree(struct work *w, const char *id, struct err *e)
{
	auto_free char *path = NULL;

	if (asprintf(&path, "trees/%s", id) < 0)
		abort();
	if (renameat(w->store->fd, path, w->fd, "archive"))
		return errno == ENOENT ? 0 : err_sys(e, "remove %s/%s", w->store->path, path);
	return tree_remove(w->fd, "archive", w->trash_fd, e);
}

int store_untag(const struct store *s, const char *reference, int *removed, struct err *e)
{
	auto_free char *path = tag_path(reference);
	auto_free char *target = NULL;
	auto_work struct work w = {.fd = -1};
	auto_fd int lock = -1;

	*removed = 0;
	if (store_target(s, reference, &target, e) || work_start(s, &w, e))
		return -1;
	lock = store_lock(s, e);
	if (lock < 0)
		return -1;
	if (unlinkat(s->fd, path, 0))
		return err_sys(e, "remove %s/%s", s->path, path);
	if (strncmp(target, "../trees/", 9) != 0 || strchr(target + 9, '/') || is_tagged(s, target))
		return 0;
	*removed = 1;
	return remove_tree(&w, target + strlen("../trees/"), e);
}

static int prune_all(struct work *w, DIR *trees, size_t *count, struct err *e)
{
	struct dirent *entry;

	while ((entry = readdir(trees))) {
		char target[sizeof(entry->d_name) + 16];

		if (*entry->d_name == '.')
			continue;
		snprintf(target, sizeof(target), "../trees/%s", entry->d_name);
		if (is_tagged(w->store, target))
			continue;
		if (remove_tree(w, entry->d_name, e))
			return -1;
		++*count;
	}
	return 0;
}

int store_prune(const struct store *s, size_t *count, struct err *e)
{
	auto_work struct work w = {.fd = -1};
	auto_fd int lock = -1;
	int fd = -1;
	DIR *trees;
	int status;

	*count = 0;
	if (work_start(s, &w, e))
		return -1;
	lock = store_lock(s, e);
	if (lock < 0)
		return -1;
	fd = openat(s->fd, "trees", DIRECTORY);
	trees = fd < 0 ? NULL : fdopendir(fd);
	if (!trees) {
		own_close(&fd);
		return err_sys(e, "open %s/trees", s->path);
	}
	status = prune_all(&w, trees, count, e);
	closedir(trees);
	return status;
}
