/*
 * save_owners - let the image's user write in Docker and podman where a sandbox's user may.
 *
 * One user owns a tree in the store, and only that user can write to it (extract.c): a sandbox has
 * a tmpfs over /tmp, /var/tmp, /run/lock and its home. Other runtimes use the archive's owners. An
 * import ignores them.
 *
 * Runs: glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_ROOTFS_SAVE_OWNERS_H
#define GLOVEBOX_ROOTFS_SAVE_OWNERS_H

#include <stdint.h>

#include "image/image.h"
#include "rootfs/archive/reader.h"

struct save_owners {
	uint32_t uid;
	uint32_t gid;
	char *home; /* owned; NULL: none */
	char *work; /* owned; the working directory; NULL: the root */
};

/* @image: whose user to look up; an unknown one owns nothing. End with _fini(). */
void save_owners_find(const struct image *image, struct save_owners *out);
void save_owners_fini(struct save_owners *o);

/* The change() of struct packing. @context: a struct save_owners. */
void save_owners_change(const void *context, struct entry *entry);

#endif
