/*
 * dockerfile_copy - the sources of COPY as one archive: from the context, an image, another stage.
 *
 * A source is opened once, beneath the directory that it belongs to; a link of a context that leads
 * out of it is refused, and one in an image leads to where it would lead there. Links within what
 * is copied are copied as links. What is a device, a fifo or a socket is refused.
 *
 * Runs: glovebox-image; in a chamber for other stages. Needs: read access to the directory.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_COPY_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_COPY_H

#include <stdbool.h>

#include "base/encode.h"
#include "base/err.h"
#include "base/list.h"
#include "dockerfile.h"
#include "dockerfile_ignore.h"

struct dockerfile_copy {
	int root_fd;                            /* borrowed */
	bool is_root;                           /* of a file system: absolute links are its own */
	const struct dockerfile_ignore *ignore; /* NULL: nothing is left out */
	uint64_t *room;                /* bytes of files that may still be packed; borrowed */
	const struct list *sources;    /* paths or patterns, as written */
	const struct heredoc *inlines; /* files whose content is the Dockerfile's */
	size_t inline_count;
};

/*
 * dockerfile_copy_pack - write what the sources name to an archive.
 *
 * A directory alone stands in it as ".", with all that is below it; a file under its own name.
 * @out_fd  borrowed
 * @digest  gets all of it but times; may be NULL
 * Returns how many files and directories the sources came to, at least 1; -1 with *e.
 */
int dockerfile_copy_pack(const struct dockerfile_copy *c, int out_fd, struct digest *digest,
			 struct err *e);

/* A source of ADD that is a file: opened, owned. -1: it is none, or there are several. */
int dockerfile_copy_open_file(const struct dockerfile_copy *c);

#endif
