/*
 * root_overlay - the image's part of a writable root (--writable).
 *
 * The image is bound as for every root, and an overlay covers all of it (inside/overlay.h). Mount
 * points are made in the overlay, so no directory must be opened up.
 *
 * Who owns the files inside? A tree of the store has one owner. Root maps that owner to the
 * sandbox's user. An ordinary user owns his own images anyway. In the remaining cases (root's image
 * for an ordinary user, a file system or kernel without id-mapped layers) the files have no owner
 * inside: there we make the directories anew, so that files can be added, replaced and removed,
 * but not changed in place.
 *
 * Runs: monitor, client. Needs: read access to the image.
 */
#ifndef GLOVEBOX_ROOT_ROOT_OVERLAY_H
#define GLOVEBOX_ROOT_ROOT_OVERLAY_H

#include "image/image.h"
#include "root/root_ops.h"

/*
 * root_overlay - append the image and its overlay, whose top and all directories are writable.
 * Errors: ERR_UNSUPPORTED for the image host, whose files are this machine's own.
 */
int root_overlay(struct root_plan *plan, const struct image *image, const struct idmap *map,
		 struct err *e);

#endif
