/*
 * ustar - write the headers of a tar archive: POSIX ustar, and pax records for what does not fit.
 *
 * An archive is, for each entry, its header and its content, padded with zeros to the next
 * TAR_BLOCK; two blocks of zeros end it. Names are bytes, written as they are.
 *
 * We write it by hand, because a library weighs more: libarchive would be in every program that
 * accesses a session, among them glovebox itself, and would run in a child with 16 descriptors and
 * hostile names.
 *
 * No side effects. Runs: anywhere. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_USTAR_H
#define GLOVEBOX_CLIENT_USTAR_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/tar_header.h"

enum ustar_type { USTAR_FILE = '0', USTAR_LINK = '2', USTAR_DIRECTORY = '5' };

struct ustar_entry {
	enum ustar_type type;
	const char *path;   /* relative */
	const char *target; /* of a link; else NULL */
	mode_t mode;        /* only 0777 of it counts */
	uint64_t size;      /* of a file; below 8 GiB */
	int64_t mtime_s;    /* a time beyond ustar's range becomes the nearest one within */
};

/* Append the header. The owner is root, so extracting gives files to the extracting user. */
void ustar_put(const struct ustar_entry *entry, struct buf *out);

/* How many zeros follow a content of this size. */
unsigned ustar_padding(uint64_t size);

/* Append the end of the archive. */
void ustar_put_end(struct buf *out);

#endif
