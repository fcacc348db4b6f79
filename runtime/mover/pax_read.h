/*
 * pax_read - read the records of a pax header.
 *
 * Pure. Runs: mover put. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_PAX_READ_H
#define GLOVEBOX_MOVER_PAX_READ_H

#include "mover/tar.h"

/*
 * pax_read - take what is said about the next member: path, linkpath, size, mtime, and that it is
 * sparse; other records are passed over.
 *
 * Returns NULL, or a text that says what is wrong.
 */
const char *pax_read(const char *data, size_t size, struct tar_entry *out);

#endif
