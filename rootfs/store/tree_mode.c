/*
 * tree_mode - open images of a store to other users of the host, or close them.
 */
#include "tree_mode.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/names.h"
#include "fs/remove_tree.h"

#define DIRECTORY   (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define SHARED_MODE 0755

/* Open the directory around the tree. Returns an owned descriptor, or -1 with *e. */
static int tree_mode_open(int store, const char *target, struct err *e)
{
	int fd;

	if (strncmp(target, "../trees/", 9) != 0 || strchr(target + 9, '/'))
		return err_input(e, "\"host\" is this machine's own /usr: every user has it");
	fd = openat(store, target + 3, DIRECTORY);
	return fd < 0 ? err_sys(e, "open %s of the image store", target + 3) : fd;
}

int tree_mode_share(int store, const char *target, bool shared, struct err *e)
{
	auto_fd int tree = tree_mode_open(store, target, e);

	if (tree < 0)
		return -1;
	return fchmod(tree, shared ? SHARED_MODE : TREE_MODE)
		       ? err_sys(e, "change the mode of %s", target + 3)
		       : 0;
}

static bool tree_mode_is_shared(int store, const char *target)
{
	struct err ignored;
	auto_fd int tree = tree_mode_open(store, target, &ignored);
	struct stat st;

	return tree >= 0 && !fstat(tree, &st) && st.st_mode & S_IXOTH;
}

int tree_mode_inherit(int store, const char *former, const char *target, bool *shared,
		      struct err *e)
{
	*shared = former && tree_mode_is_shared(store, former) &&
		  strncmp(target, "../trees/", 9) == 0 && !tree_mode_is_shared(store, target);
	return *shared ? tree_mode_share(store, target, true, e) : 0;
}

bool tree_mode_is_former(int store)
{
	struct stat st;

	return !fstatat(store, "trees", &st, AT_SYMLINK_NOFOLLOW) && st.st_uid == geteuid() &&
	       st.st_mode & (S_IRGRP | S_IROTH);
}

int tree_mode_close_all(int store, size_t *count, struct err *e)
{
	auto_fd int trees = openat(store, "trees", DIRECTORY);
	auto_fd int bases = openat(store, "bases", DIRECTORY);
	auto_list struct list names = {0};

	*count = 0;
	if (bases >= 0 && fchmod(bases, TREE_MODE))
		return err_sys(e, "change the mode of bases");
	if (trees < 0 || names_read(trees, SIZE_MAX, &names) < 0)
		return err_sys(e, "read trees of the image store");
	for (size_t i = 0; i < names.count; i++) {
		auto_fd int tree = openat(trees, names.items[i], DIRECTORY);

		if (tree >= 0 && fchmod(tree, TREE_MODE))
			return err_sys(e, "change the mode of trees/%s", names.items[i]);
		*count += tree >= 0;
	}
	/* base_cache.h keeps bases in STORE/tmp now: the next build makes them anew. */
	(void)remove_tree(store, "bases", UINT64_MAX);
	/* The mode of trees marks the work as done, so set it last. */
	return fchmod(trees, TREES_MODE) ? err_sys(e, "change the mode of trees") : 0;
}
