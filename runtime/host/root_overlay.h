/*
 * root_overlay - the image's part of a root that can be changed (--writable).
 *
 * The image is bound as it is for every root, and an overlay lies over all of it
 * (inside/overlay.h), so no directory must be opened up for a mount point: it is made in the
 * overlay.
 *
 * Whose files are they? A tree of the store has one owner. As root the tree is mapped, so that this
 * owner is the sandbox's user inside. An ordinary user's own images belong to him anyway. What is
 * left, an image of root's for an ordinary user, or a file system or kernel without id-mapped
 * layers, belongs to nobody inside: there the directories are made anew, which lets files be added,
 * replaced and removed, though not changed in place.
 *
 * Runs: monitor, client. Needs: read access to the image.
 */
#ifndef GLOVEBOX_HOST_ROOT_OVERLAY_H
#define GLOVEBOX_HOST_ROOT_OVERLAY_H

#include "host/image.h"
#include "host/root_ops.h"

/*
 * root_overlay - append the image, its overlay, and its top directories as writable.
 * Errors: ERR_UNSUPPORTED for the image host, whose files are this machine's own.
 */
int root_overlay(struct root_plan *plan, const struct image *image, const struct idmap *map,
		 struct err *e);

/* Let the program write to the top directory that contains `path`, unless it is a mount. */
void root_overlay_allow(struct root_plan *plan, const char *path);

#endif
