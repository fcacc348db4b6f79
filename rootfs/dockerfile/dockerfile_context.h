/*
 * dockerfile_context - the files that a Dockerfile may copy, and the Dockerfile itself.
 *
 * They are a directory of this machine, or an archive of standard input: that is unpacked into a
 * work directory of the store, as the layers of an image are (extract.h), so no name of it leads
 * elsewhere.
 *
 * Runs: glovebox-image. Needs: read access to the directory; write access to the store.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_CONTEXT_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_CONTEXT_H

#include <stdbool.h>

#include "base/err.h"
#include "rootfs/store/store.h"

struct dockerfile_context {
	int fd;           /* the directory; -1: none */
	int file_fd;      /* of standard input, which is a Dockerfile; -1 */
	bool is_archive;  /* it was unpacked */
	struct work work; /* the unpacked files */
};

static inline struct dockerfile_context dockerfile_context_none(void)
{
	return (struct dockerfile_context){
		.fd = -1,
		.file_fd = -1,
		.work = {.fd = -1, .lock_fd = -1, .tree_fd = -1, .root_fd = -1}
        };
}

/*
 * dockerfile_context_open
 *
 * @path   a directory; "-": standard input has an archive, or a Dockerfile without any files
 * @file   the Dockerfile as typed, or ""
 * @store  opened if standard input is read; outlives @out
 * @out    end with dockerfile_context_fini(), also on errors
 */
int dockerfile_context_open(const char *path, const char *file, struct store *store,
			    struct dockerfile_context *out, struct err *e);
void dockerfile_context_fini(struct dockerfile_context *c);

/* Open a file of the context: follow no link out of it, and wait for nothing. -1 with errno. */
int dockerfile_context_open_beneath(int context_fd, const char *name);

/* Open the Dockerfile; owned; -1 with *e. @path, @file: as of dockerfile_context_open(). */
int dockerfile_context_open_file(struct dockerfile_context *c, const char *path, const char *file,
				 struct err *e);

/* Whether the rest of a descriptor is a tar archive with entries, compressed or not. */
bool dockerfile_context_is_archive(int fd);

#endif
