/*
 * save_owners - in an archive for Docker and podman, the image's user may write where a sandbox's
 * may.
 *
 * A tree in the store belongs to one user, and nobody else can write to it (extract.c): a sandbox
 * has a tmpfs over /tmp, /var/tmp, /run/lock and its home. Other runtimes have what the archive
 * says. An import ignores it again.
 *
 * Runs: glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_ROOTFS_SAVE_OWNERS_H
#define GLOVEBOX_ROOTFS_SAVE_OWNERS_H

#include <stdint.h>

#include "host/image.h"
#include "reader.h"

struct save_owners {
	uint32_t uid;
	uint32_t gid;
	char *home; /* owned; NULL: none */
	char *work; /* owned; the working directory; NULL: the root */
};

/* @image  whose user is looked up; one that it does not know owns nothing. End with _fini(). */
void save_owners_find(const struct image *image, struct save_owners *out);
void save_owners_fini(struct save_owners *o);

/* The change() of struct packing. @context  struct save_owners. */
void save_owners_change(const void *context, struct entry *entry);

#endif
