/*
 * tar_write - write the header of a member: ustar, with a pax header before it where that is too
 * small.
 *
 * Pure. Runs: mover get. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_TAR_WRITE_H
#define GLOVEBOX_MOVER_TAR_WRITE_H

#include "mover/tar.h"

/* A header, records for two names and two numbers, a header. */
#define TAR_WRITE_MOST (2 * TAR_BLOCK + 2 * (TAR_NAME_MOST + 1) + TAR_BLOCK)

/*
 * tar_write_header - write all that goes before the data of a member.
 *
 * @entry  TAR_FILE, TAR_DIRECTORY (whose name gets a slash at its end), TAR_LINK, TAR_HARD_LINK, or
 * TAR_SPECIAL: the character device 0/0, and its link is empty;
 * given, follows and mtime_ns are not looked at. The name has one byte at least. Returns how many
 * bytes it is, whole blocks.
 */
size_t tar_write_header(unsigned char out[TAR_WRITE_MOST], const struct tar_entry *entry);

#endif
