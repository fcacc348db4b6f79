/*
 * pack - the tree of an image as one layer: a tar archive.
 *
 * Parents first, sorted by bytes, so the same tree gives the same archive. Owners are not kept, and
 * the times only of files, because an import gives the rest anew (extract.c). Files with several
 * names have their content once.
 */
#ifndef GLOVEBOX_ROOTFS_PACK_H
#define GLOVEBOX_ROOTFS_PACK_H

#include <stdbool.h>

#include "base/err.h"
#include "writer.h"

/*
 * pack_tree - write everything below a directory.
 * @root_fd  readable; borrowed
 * @content  false: as many bytes, but zeros. Nothing is read then, which tells the archive's size.
 * Errors: what cannot be read, or is no part of an image; an interruption.
 */
int pack_tree(int root_fd, struct writer *out, bool content, struct err *e);

#endif
