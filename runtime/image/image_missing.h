/*
 * image_missing - the remedy for an image that no store has, or that its owner has not shared.
 *
 * Reads the stores.  Runs: as image/image.h.  Needs: read access to the stores.
 */
#ifndef GLOVEBOX_IMAGE_IMAGE_MISSING_H
#define GLOVEBOX_IMAGE_IMAGE_MISSING_H

#include <stdbool.h>

#include "base/err.h"

/* ERR_NOT_FOUND with the remedy that fits the name. @reference: canonical. Returns -1. */
int image_missing(const char *reference, struct err *e);

/*
 * ERR_DENIED: who can share the image, and how to make an own one. Returns -1.
 * @tree_fd  of STORE/trees/<id>, to find its owner; borrowed.
 */
int image_closed(const char *reference, int tree_fd, struct err *e);

/* The same as image_missing(), if its remedy needs no registry; false: it would need one. */
bool image_missing_is_made_here(const char *reference, struct err *e);

#endif
