/*
 * pack - pack the tree of an image as one layer: a tar archive.
 *
 * Parents come first, sorted by bytes, so the same tree gives the same archive. It omits owners,
 * and times except of files, because an import sets them anew (extract.c). A file with several
 * names has its content once.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_PACK_H
#define GLOVEBOX_ROOTFS_ARCHIVE_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/encode.h"
#include "base/err.h"
#include "writer.h"

enum pack_choice {
	PACK_IT,
	PACK_NOT,           /* but perhaps entries below it */
	PACK_NOTHING_BELOW, /* nor entries below it, which are not read */
};

struct packing {
	struct writer *out;
	bool zeros; /* write zeros instead of the content, without reading: to find the size */

	/* For COPY of a build, and for save; NULL: none. */
	const char *prefix;    /* of all paths, with its slash */
	struct digest *digest; /* of everything in the archive but times */
	enum pack_choice (*choose)(const void *context, const char *path); /* below the directory */
	void (*change)(const void *context,
		       struct entry *entry); /* called before an entry is written */
	const void *context;
	uint64_t *room; /* bytes of files that may still be packed, sparse ones in full */
};

/*
 * pack_tree - write everything below a directory.
 * @root_fd  readable; borrowed
 * Errors: an entry that cannot be read, or that images cannot contain; an interruption.
 */
int pack_tree(const struct packing *p, int root_fd, struct err *e);

/* Pack one file or directory alone, under this path. @fd: readable; borrowed */
int pack_alone(const struct packing *p, int fd, const char *path, struct err *e);

#endif
