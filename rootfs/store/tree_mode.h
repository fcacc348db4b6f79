/*
 * tree_mode - open images of a store to other users of the host, or close them.
 *
 * A sandbox reads an image under an id of its own, so all users may read its files (extract.c),
 * including those that were private in the archive. The mode of the directory around each tree
 * keeps other users out, and nothing else records it:
 *
 *   STORE/trees/       0711: a user who knows the id of an image may ask for it
 *   STORE/trees/<id>/  0700, or 0755 once the image is shared
 *
 * The owner's own sandboxes do not depend on it: as root the monitor clones the tree
 * (image/image.h), and an ordinary user's sandbox enters as that user. Names and ids (STORE/tags/)
 * are open to all.
 *
 * @store  the directory STORE; borrowed. @target: of a tag: "../trees/<id>" or "@host".
 *
 * Runs: glovebox-image, which holds the store's lock when it changes a mode. Needs: to own the
 * store.
 */
#ifndef GLOVEBOX_ROOTFS_STORE_TREE_MODE_H
#define GLOVEBOX_ROOTFS_STORE_TREE_MODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define TREES_MODE 0711
#define TREE_MODE  0700

/* Open an image to all users of the host, or close it to them. */
int tree_mode_share(int store, const char *target, bool shared, struct err *e);

/*
 * Open @target if the image @former is open and @target is not: *shared. @former NULL: do nothing.
 */
int tree_mode_inherit(int store, const char *former, const char *target, bool *shared,
		      struct err *e);

/* Whether it is the caller's own store, as an earlier version made it: everything was 0755. */
bool tree_mode_is_former(int store);

/* Close all images of such a store; *count of them. */
int tree_mode_close_all(int store, size_t *count, struct err *e);

#endif
