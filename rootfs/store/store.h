/*
 * store - the writing side of the image store (layout: image/image.h).
 *
 *   STORE/quota            limit of all trees together, in bytes (usage.h)
 *   STORE/tmp/.lock        held while tags and trees change
 *   STORE/tmp/.kept/       bases of later builds (base_cache.h)
 *   STORE/tmp/<random>/    one builder's work: lock (held for life), tree/
 *
 * The next builder removes the work of a dead one, whose lock is free.
 */
#ifndef GLOVEBOX_ROOTFS_STORE_STORE_H
#define GLOVEBOX_ROOTFS_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/list.h"

#define STORE_ID_LENGTH 64

struct store {
	char *path;
	int fd; /* the store's directory */
	int tmp_fd;
};

/*
 * Open the first store, or make it. Images of a store that an earlier version made are closed to
 * other users (tree_mode.h), and stderr says so. End with store_close().
 */
int store_open(struct store *s, struct err *e);
void store_close(struct store *s);

/*
 * store_lock - wait until no other process changes tags or trees. Owned descriptor: closing it
 * releases the lock; -1 with *e. The functions below lock by themselves, except store_publish().
 */
int store_lock(const struct store *s, struct err *e);

struct work {
	const struct store *store; /* borrowed */
	char name[24];
	int fd;
	int lock_fd;
	int tree_fd; /* becomes STORE/trees/<id>; closed to other users (tree_mode.h) */
	int root_fd; /* tree/rootfs */
};

/* Start a piece of work, after removing the remains of dead ones. End with work_discard(). */
int work_start(const struct store *s, struct work *w, struct err *e);

/* Remove the rest of the work: all of it unless it was published. */
void work_discard(struct work *w);

/*
 * store_publish - move the finished tree to trees/<id> and tag it.
 * @id         64 hex digits. If the store has that tree, it only sets the tags.
 * @references canonical. A tree that loses its last tag stays, since sandboxes may be
 * running on it. If a name was shared, so is its new tree (tree_mode.h). Needs: store_lock(), held
 * by the caller.
 */
int store_publish(struct work *w, const char *id, const struct list *references, struct err *e);

/*
 * Tag an existing tree; @target is "../trees/<id>" or "@host". Replaces an old tag like
 * store_publish().
 */
int store_tag(const struct store *s, const char *reference, const char *target, struct err *e);

/* Open an image to all users of the host, or close it to them, under all its names. */
int store_share(const struct store *s, const char *reference, bool shared, struct err *e);

/* The target of a tag, owned by the caller. ERR_NOT_FOUND: this store does not have it. */
int store_target(const struct store *s, const char *reference, char **out, struct err *e);

/* The same, by name or by id (image/image_id.h). */
int store_find(const struct store *s, const char *reference, char **out, struct err *e);

/* Append the names of @target, canonical except for files of other users; NULL: all names. */
int store_references(const struct store *s, const char *target, struct list *out, struct err *e);

/* Remove a tag, and its tree if no other tag names it; *removed: whether the tree was removed. */
int store_untag(const struct store *s, const char *reference, int *removed, struct err *e);

/* Append the ids of all trees: tagged ones, and the others. */
int store_trees(const struct store *s, struct list *tagged, struct list *untagged, struct err *e);

/* Whether the image that a tag, or a tree, names is in use (struct image). */
bool store_is_used(const struct store *s, const char *target);

/*
 * Remove every tree that no tag names, but for those in use; *used says how many.
 * @only     the target of one, "../trees/<id>"; NULL: all
 * @removed  out: their ids are appended
 */
int store_prune(const struct store *s, const char *only, struct list *removed, size_t *used,
		struct err *e);

#define auto_store __attribute__((cleanup(store_close)))
#define auto_work  __attribute__((cleanup(work_discard)))

#endif
