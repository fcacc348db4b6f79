/*
 * layout - find layers and configuration in a `docker save` or OCI archive.
 *
 * It works on the archive's files after they are unpacked into a directory. All documents are
 * hostile; it opens files only below that directory.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_LAYOUT_H
#define GLOVEBOX_ROOTFS_ARCHIVE_LAYOUT_H

#include "base/err.h"
#include "base/json.h"
#include "base/list.h"

struct layout {
	struct list layers;        /* paths in the directory, lowest first */
	struct list tags;          /* as written in the archive; may be empty */
	struct json *config_file;  /* owns the document below */
	const struct json *config; /* Docker's container configuration, NULL: none */
	const struct json
		*saved; /* the member of `glovebox image save`; NULL: made by another program */
};

/*
 * layout_read - find the parts in the directory.
 * Errors: ERR_INPUT for several images, another architecture, a damaged document.
 */
int layout_read(int dir_fd, struct layout *out, struct err *e);
void layout_fini(struct layout *l);

/*
 * layout_open - open one of its files for reading; a file below blobs/sha256 is
 * checked against its name first. Owned by the caller; -1 with *e.
 */
int layout_open(int dir_fd, const char *path, struct err *e);

/*
 * layout_is_one - whether an archive is a layout rather than a plain root. Reads fd from its
 * current position. 1, 0, or -1 with *e.
 */
int layout_is_one(int fd, const char *name, struct err *e);

#define auto_layout __attribute__((cleanup(layout_fini)))

#endif
