/*
 * image_packages - list the packages of an image's Python.
 *
 * pip and dpkg leave a directory NAME-VERSION.dist-info, or .egg-info, for each package beside its
 * modules. It reads only the names of directories, within the image's tree. They are not trusted:
 * names with characters other than letters, digits, ".", "_" and "-" are skipped.
 *
 * Runs: faces, at their start. Needs: read access to the image.
 */
#ifndef GLOVEBOX_IMAGE_IMAGE_PACKAGES_H
#define GLOVEBOX_IMAGE_IMAGE_PACKAGES_H

#include "base/buf.h"
#include "base/list.h"
#include "image/image.h"

/* List "NAME VERSION", sorted; NAME as in PyPI. @out: owned by the caller: list_fini() */
void image_packages(const struct image *image, struct list *out);

/*
 * Append a text for a model: "the standard library, numpy, pandas", at most 1000 bytes. @packages:
 * as above
 */
void image_packages_text(const struct list *packages, struct buf *out);

/* Do both for an image that is opened here; one that cannot be opened has no packages. */
void image_packages_of(const char *reference, struct list *packages, struct buf *text);

#endif
