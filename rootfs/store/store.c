/*
 * store - the writing side of the image store (layout: image/image.h).
 */
#include "store.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/names.h"
#include "fs/remove_tree.h"
#include "fs/trusted_path.h"
#include "image/image.h"
#include "image/image_stores.h"
#include "tree_mode.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Make a missing directory, and open it. */
static int store_open_dir(int parent, const char *name, mode_t mode)
{
	if (mkdirat(parent, name, mode) && errno != EEXIST)
		return -1;
	return openat(parent, name, DIRECTORY);
}

int store_lock(const struct store *s, struct err *e)
{
	auto_fd int fd =
		openat(s->tmp_fd, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || flock(fd, LOCK_EX))
		return err_sys(e, "lock image store %s", s->path);
	return take_fd(&fd);
}

/* In such a store all users could read files that were private in an archive: close it. */
static int store_close_former(const struct store *s, struct err *e)
{
	auto_fd int lock = -1;
	size_t count = 0;

	if (!tree_mode_is_former(s->fd))
		return 0;
	lock = store_lock(s, e);
	if (lock < 0)
		return -1;
	/* Another process may have done so meanwhile, and an image may have been shared since. */
	if (!tree_mode_is_former(s->fd))
		return 0;
	if (tree_mode_close_all(s->fd, &count, e))
		return -1;
	if (count)
		fprintf(stderr,
			"glovebox: the images in %s are closed to other users from now on; "
			"\"glovebox image share NAME\" opens one\n",
			s->path);
	return 0;
}

int store_open(struct store *s, struct err *e)
{
	auto_fd int made = -1;
	auto_fd int tags = -1;
	auto_fd int trees = -1;

	*s = (struct store){.path = image_store_path(), .fd = -1, .tmp_fd = -1};
	if (!s->path)
		return err_input(e, "no place for images: set HOME or GLOVEBOX_IMAGES");
	made = trusted_path_make(written_path(s->path), LINKS_OF_CALLER, e);
	if (made < 0)
		return err_prefix(e, "image store (GLOVEBOX_IMAGES names another)");
	s->fd = openat(made, ".", DIRECTORY);
	if (s->fd < 0)
		return err_sys(e, "open image store %s", s->path);
	tags = store_open_dir(s->fd, "tags", 0755);
	trees = store_open_dir(s->fd, "trees", TREES_MODE);
	s->tmp_fd = store_open_dir(s->fd, "tmp", 0700);
	if (tags < 0 || trees < 0 || s->tmp_fd < 0)
		return err_sys(e, "write to image store %s", s->path);
	return store_close_former(s, e);
}

void store_close(struct store *s)
{
	own_close(&s->fd);
	own_close(&s->tmp_fd);
	own_free(&s->path);
}

/* Remove the work of dead builders, under the store's lock. Best effort. */
static void store_sweep(const struct work *w)
{
	auto_list struct list names = {0};

	(void)names_read(w->store->tmp_fd, SIZE_MAX, &names);
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		auto_free char *path = own_printf("%s/lock", name);
		auto_fd int lock = -1;

		if (*name == '.' || !strcmp(name, w->name))
			continue;
		lock = openat(w->store->tmp_fd, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (lock < 0 || !flock(lock, LOCK_EX | LOCK_NB))
			(void)remove_tree(w->store->tmp_fd, name, UINT64_MAX);
	}
}

int work_start(const struct store *s, struct work *w, struct err *e)
{
	auto_fd int store_lock_fd = -1;
	unsigned long long random;

	*w = (struct work){.store = s, .fd = -1, .lock_fd = -1, .tree_fd = -1, .root_fd = -1};
	store_lock_fd = store_lock(s, e);
	if (store_lock_fd < 0)
		return -1;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "getrandom");
	snprintf(w->name, sizeof(w->name), "%016llx", random);
	w->fd = store_open_dir(s->tmp_fd, w->name, 0700);
	if (w->fd < 0)
		return err_sys(e, "make work directory in %s", s->path);
	w->lock_fd = openat(w->fd, "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (w->lock_fd < 0 || flock(w->lock_fd, LOCK_EX | LOCK_NB))
		return err_sys(e, "lock work directory in %s", s->path);
	w->tree_fd = store_open_dir(w->fd, "tree", TREE_MODE);
	if (w->tree_fd >= 0)
		w->root_fd = store_open_dir(w->tree_fd, "rootfs", 0755);
	if (w->root_fd < 0)
		return err_sys(e, "make work directory in %s", s->path);
	store_sweep(w);
	return 0;
}

void work_discard(struct work *w)
{
	static const char *const parts[] = {"tree", "archive", "spool", "apt.conf"};
	auto_fd int lock = -1;
	struct err ignored;

	if (w->fd < 0)
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		(void)remove_tree(w->fd, parts[i], UINT64_MAX);
	/* A directory without its lock file counts as dead, so keep sweeps out now. */
	lock = store_lock(w->store, &ignored);
	(void)lock;
	unlinkat(w->fd, "lock", 0);
	unlinkat(w->store->tmp_fd, w->name, AT_REMOVEDIR);
	own_close(&w->root_fd);
	own_close(&w->tree_fd);
	own_close(&w->lock_fd);
	own_close(&w->fd);
}

static char *store_tag_path(const char *reference)
{
	char *path = own_printf("tags/%s", reference);

	for (char *p = path + strlen("tags/"); *p; p++)
		*p = *p == '/' ? '+' : *p;
	return path;
}

int store_target(const struct store *s, const char *reference, char **out, struct err *e)
{
	auto_free char *path = store_tag_path(reference);
	char target[STORE_ID_LENGTH + 16];
	ssize_t n = readlinkat(s->fd, path, target, sizeof(target) - 1);

	if (n < 0 && errno == ENOENT)
		return err_set(e, ERR_NOT_FOUND,
			       "no image \"%s\" in %s; \"glovebox image ls\" shows what there is",
			       reference, s->path);
	if (n < 0)
		return err_sys(e, "read %s/%s", s->path, path);
	target[n] = '\0';
	*out = own_strdup(target);
	return 0;
}

static bool store_names_target(int tags_fd, const char *name, const char *target)
{
	char other[STORE_ID_LENGTH + 16];
	ssize_t n = readlinkat(tags_fd, name, other, sizeof(other));

	return n == (ssize_t)strlen(target) && !memcmp(other, target, (size_t)n);
}

int store_references(const struct store *s, const char *target, struct list *out, struct err *e)
{
	auto_fd int fd = openat(s->fd, "tags", DIRECTORY);
	auto_list struct list names = {0};

	if (fd < 0 || names_read(fd, SIZE_MAX, &names) < 0)
		return err_sys(e, "open %s/tags", s->path);
	for (size_t i = 0; i < names.count; i++) {
		char *name = names.items[i];

		if (target && !store_names_target(fd, name, target))
			continue;
		for (char *p = name; *p; p++)
			*p = *p == '+' ? '/' : *p;
		list_add(out, name);
	}
	return 0;
}

static bool store_is_tagged(const struct store *s, const char *target)
{
	auto_list struct list names = {0};
	struct err ignored;

	/* If the tags cannot be read, assume that one names it. */
	return store_references(s, target, &names, &ignored) || names.count;
}

/* Like store_tag(), with the store's lock held. */
static int store_set_tag(const struct store *s, const char *reference, const char *target,
			 struct err *e)
{
	auto_free char *path = store_tag_path(reference);
	auto_free char *former = NULL;
	struct err ignored;
	bool shared;

	store_target(s, reference, &former, &ignored);
	if (unlinkat(s->tmp_fd, ".tag", 0) && errno != ENOENT)
		return err_sys(e, "tag %s", reference);
	if (symlinkat(target, s->tmp_fd, ".tag") || renameat(s->tmp_fd, ".tag", s->fd, path))
		return err_sys(e, "tag %s", reference);
	/* Open it only now: a tree whose tag could not be set stays closed. */
	if (tree_mode_inherit(s->fd, former, target, &shared, e))
		return err_prefix(e, "share %s", reference);
	if (shared)
		fprintf(stderr,
			"glovebox: %s is shared with all users, as the former was; \"glovebox "
			"image share --off %s\" ends that\n",
			reference, reference);
	if (former && *former == '.' && !store_is_tagged(s, former))
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
	return store_set_tag(s, reference, target, e);
}

int store_share(const struct store *s, const char *reference, bool shared, struct err *e)
{
	auto_free char *target = NULL;
	auto_fd int lock = store_lock(s, e);

	if (lock < 0)
		return -1;
	if (!strcmp(reference, "host:latest"))
		target = own_strdup("@host");
	else if (store_target(s, reference, &target, e))
		return -1;
	return tree_mode_share(s->fd, target, shared, e);
}

int store_publish(struct work *w, const char *id, const struct list *references, struct err *e)
{
	char path[STORE_ID_LENGTH + 16];
	char target[STORE_ID_LENGTH + 16];

	snprintf(path, sizeof(path), "trees/%s", id);
	snprintf(target, sizeof(target), "../trees/%s", id);
	/* Even after a power failure a tag must name a complete tree. */
	if (syncfs(w->fd))
		return err_sys(e, "write image to disk");
	if (faccessat(w->store->fd, path, F_OK, AT_SYMLINK_NOFOLLOW) &&
	    renameat(w->fd, "tree", w->store->fd, path))
		return err_sys(e, "move image to %s/%s", w->store->path, path);
	for (size_t i = 0; i < references->count; i++) {
		if (store_set_tag(w->store, references->items[i], target, e))
			return -1;
	}
	return 0;
}

/* One rename takes the tree's name away; the rest may be interrupted. */
static int store_remove_tree(struct work *w, const char *id, struct err *e)
{
	auto_free char *path = own_printf("trees/%s", id);

	if (renameat(w->store->fd, path, w->fd, "archive"))
		return errno == ENOENT ? 0 : err_sys(e, "remove %s/%s", w->store->path, path);
	return remove_tree(w->fd, "archive", UINT64_MAX)
		       ? err_sys(e, "remove %s/%s", w->store->path, path)
		       : 0;
}

int store_untag(const struct store *s, const char *reference, int *removed, struct err *e)
{
	auto_free char *path = store_tag_path(reference);
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
	if (strncmp(target, "../trees/", 9) != 0 || strchr(target + 9, '/') ||
	    store_is_tagged(s, target))
		return 0;
	*removed = 1;
	return store_remove_tree(&w, target + strlen("../trees/"), e);
}

int store_trees(const struct store *s, struct list *tagged, struct list *untagged, struct err *e)
{
	auto_fd int fd = openat(s->fd, "trees", DIRECTORY);
	auto_list struct list trees = {0};

	if (fd < 0 || names_read(fd, SIZE_MAX, &trees) < 0)
		return err_sys(e, "open %s/trees", s->path);
	for (size_t i = 0; i < trees.count; i++) {
		auto_free char *target = own_printf("../trees/%s", trees.items[i]);

		if (*trees.items[i] != '.')
			list_add(store_is_tagged(s, target) ? tagged : untagged, trees.items[i]);
	}
	return 0;
}

bool store_is_used(const struct store *s, const char *target)
{
	/* From tags/, where such a link is. */
	auto_fd int tags = openat(s->fd, "tags", DIRECTORY);
	auto_free char *path = own_printf("%s/image.json", target);
	auto_fd int fd = openat(tags, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

int store_prune(const struct store *s, const char *only, struct list *removed, size_t *used,
		struct err *e)
{
	auto_work struct work w = {.fd = -1};
	auto_list struct list tagged = {0};
	auto_list struct list trees = {0};
	auto_fd int lock = -1;

	*used = 0;
	if (work_start(s, &w, e))
		return -1;
	lock = store_lock(s, e);
	if (lock < 0 || store_trees(s, &tagged, &trees, e))
		return -1;
	for (size_t i = 0; i < trees.count; i++) {
		auto_free char *target = own_printf("../trees/%s", trees.items[i]);

		if (only && strcmp(target, only) != 0)
			continue;
		if (store_is_used(s, target)) {
			++*used;
			continue;
		}
		if (store_remove_tree(&w, trees.items[i], e))
			return -1;
		list_add(removed, trees.items[i]);
	}
	return 0;
}
