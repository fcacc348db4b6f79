/*
 * usage - measure the disk use of images, and enforce the store owner's limit: STORE/quota.
 *
 * Runs: glovebox-image. Needs: the right to read the store.
 */
#ifndef GLOVEBOX_ROOTFS_STORE_USAGE_H
#define GLOVEBOX_ROOTFS_STORE_USAGE_H

#include <stdint.h>

#include "store.h"

#define USAGE_UNLIMITED UINT64_MAX

/* Add the bytes of a tree below a directory (borrowed). A file with several names counts once. */
int usage_add_tree(int dir_fd, const char *name, uint64_t *bytes, struct err *e);

/* The same for trees of the store, by their ids. */
int usage_add(const struct store *s, const struct list *ids, uint64_t *bytes, struct err *e);

int usage_quota(const struct store *s, uint64_t *bytes, struct err *e);
int usage_set_quota(const struct store *s, uint64_t bytes, struct err *e);

/*
 * usage_check - whether a new tree may be moved to trees/; if @id is there, it may.
 * Needs: store_lock(), held by the caller until the tree has been moved.
 * Errors: ERR_LIMIT: the images would exceed the quota, and how to make room.
 */
int usage_check(const struct store *s, int dir_fd, const char *name, const char *id, struct err *e);

#endif
