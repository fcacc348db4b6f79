/*
 * image_packages - what is installed for the Python of an image.
 *
 * pip and dpkg leave a directory NAME-VERSION.dist-info, or .egg-info, for each package beside its
 * modules. Only names of directories are read, within the image's tree. A stranger chose them:
 * others than letters, digits, ".", "_" and "-" are left out.
 *
 * Runs: faces, when they begin. Needs: read access to the image.
 */
#ifndef GLOVEBOX_CLIENT_IMAGE_PACKAGES_H
#define GLOVEBOX_CLIENT_IMAGE_PACKAGES_H

#include "base/buf.h"
#include "base/list.h"
#include "host/image.h"

/* Entries are "NAME VERSION", sorted; NAME as in PyPI. @out  owned by the caller: list_fini() */
void image_packages(const struct image *image, struct list *out);

/* For a model: "the standard library, numpy, pandas", 1000 bytes at most. @packages  as above */
void image_packages_text(const struct list *packages, struct buf *out);

/* Both, of an image that is opened for it; one that cannot be opened has none. */
void image_packages_of(const char *reference, struct list *packages, struct buf *text);

#endif
