/*
 * dockerfile_copy - pack the sources of COPY into one archive: from the context, an image, another
 * stage.
 *
 * We open a source once, beneath its directory; we refuse a link that leads out of a context, and
 * resolve one in an image within that image. Links below a source are copied as links. Devices,
 * fifos and sockets are refused.
 *
 * Runs: glovebox-image; in a chamber for other stages. Needs: read access to the directory.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_COPY_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_COPY_H

#include <stdbool.h>

#include "base/encode.h"
#include "base/err.h"
#include "base/list.h"
#include "dockerfile.h"
#include "dockerfile_ignore.h"

struct dockerfile_copy {
	int root_fd;                            /* borrowed */
	bool is_root;                           /* a file system: absolute links refer to it */
	const struct dockerfile_ignore *ignore; /* NULL: nothing is ignored */
	uint64_t *room;                /* bytes of files that may still be packed; borrowed */
	const struct list *sources;    /* paths or patterns, as written */
	const struct heredoc *inlines; /* files whose content the Dockerfile contains */
	size_t inline_count;
};

/*
 * dockerfile_copy_pack - write the sources to an archive.
 *
 * A lone directory is packed as ".", with everything below it; a file under its own name.
 * @out_fd  borrowed
 * @digest  of everything but times; may be NULL
 * Returns how many files and directories the sources named, at least 1; -1 with *e.
 */
int dockerfile_copy_pack(const struct dockerfile_copy *c, int out_fd, struct digest *digest,
			 struct err *e);

/* Open the one source of ADD, if it is a file; owned. -1: it is not, or there are several. */
int dockerfile_copy_open_file(const struct dockerfile_copy *c);

#endif
