/*
 * tar_read - read the header of a member: ustar, pax, GNU long names, v7.
 *
 * Each function returns NULL, or a text that says what is wrong; then the stream cannot be read on.
 *
 * Pure. Runs: mover put. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_TAR_READ_H
#define GLOVEBOX_MOVER_TAR_READ_H

#include "mover/tar.h"

/*
 * tar_read_header - read a block that is a header.
 *
 * @out  .given says which fields stay what headers before this one have made them. Of these
 *       (TAR_PAX to TAR_LONG_LINK) only kind and follows are set.
 */
const char *tar_read_header(const unsigned char block[TAR_BLOCK], struct tar_entry *out);

/* Whether another block of the map of a GNU sparse file follows this one. */
bool tar_read_goes_on(const unsigned char block[TAR_BLOCK]);

/* The data of TAR_LONG_NAME and TAR_LONG_LINK: a name, which ends at a NUL or with the data. */
const char *tar_read_long(const char *data, size_t size, enum tar_kind kind, struct tar_entry *out);

#endif
