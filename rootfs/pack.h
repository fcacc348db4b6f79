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
#include <stdint.h>

#include "base/encode.h"
#include "base/err.h"
#include "writer.h"

enum pack_choice {
	PACK_IT,
	PACK_NOT,           /* but perhaps something below it */
	PACK_NOTHING_BELOW, /* nor anything below it, which is not read */
};

struct packing {
	struct writer *out;
	bool zeros; /* as many bytes, but zeros. Nothing is read then, which tells the size */

	/* For COPY of a build, and for save; NULL: nothing. */
	const char *prefix;    /* of all paths, with its slash */
	struct digest *digest; /* gets all that the archive says, but times */
	enum pack_choice (*choose)(const void *context, const char *path); /* below the directory */
	void (*change)(const void *context, struct entry *entry); /* before it is written */
	const void *context;
	uint64_t *room; /* bytes of files that may still be packed: a sparse one costs its maker
			   nothing */
};

/*
 * pack_tree - write everything below a directory.
 * @root_fd  readable; borrowed
 * Errors: what cannot be read, or is no part of an image; an interruption.
 */
int pack_tree(const struct packing *p, int root_fd, struct err *e);

/* One file or directory alone, under this path. @fd  readable; borrowed */
int pack_alone(const struct packing *p, int fd, const char *path, struct err *e);

#endif
