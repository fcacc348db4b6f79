/*
 * manifest - hash everything in an image: mtree, sorted, SHA-256.
 *
 * It describes the image's directory: ./rootfs and all below, and as ./config the identity part of
 * image.json (see meta.h), which is a file of its own only here. The SHA-256 of the manifest is the
 * image's id. It omits times, and writes the owner of ./rootfs as 0: the same content has the same
 * id for every importing user.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_MANIFEST_H
#define GLOVEBOX_ROOTFS_ARCHIVE_MANIFEST_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "meta.h"

/*
 * manifest_write - hash a tree.
 * @root_fd     readable descriptor of rootfs; borrowed
 * @out_fd      borrowed; begins at its current position
 * @size_bytes  of all files, hard links counted once; may be NULL
 */
int manifest_write(int root_fd, const struct meta *meta, int out_fd, uint64_t *size_bytes,
		   struct err *e);

/*
 * manifest_compare - write one line per difference, "changed rootfs/usr/bin/env", to `out`.
 * @stored, @found  descriptors, read from their beginning; borrowed
 * @lines_max       lines written; one more sums up the rest
 * @count           all differences
 */
int manifest_compare(int stored, int found, FILE *out, size_t lines_max, size_t *count,
		     struct err *e);

#endif
