/*
 * place - clean the name of an archive's entry, and open its directory inside a root that no
 * symbolic link leaves.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_PLACE_H
#define GLOVEBOX_ROOTFS_ARCHIVE_PLACE_H

#include <stdbool.h>

#define PLACE_BYTES_MAX 4096

/* Relative, without "./", "..", double or trailing slashes. */
struct place {
	char path[PLACE_BYTES_MAX];
	const char *name; /* the last component, inside path; "" for the root itself */
};

/* Clean an archive's name (NULL is refused). Returns NULL, or why it is refused. Pure. */
const char *place_set(struct place *p, const char *text);

/* The path of its directory: "" for the root. Owned by the caller. */
char *place_parent(const struct place *p);

/*
 * place_open - O_PATH descriptor of a directory below root_fd, "" for the root.
 *
 * @path  changed on the way, and restored
 * @make  make what is missing, 0755
 *
 * It follows symbolic links inside the root, as they will lead in a sandbox. -1 with errno.
 */
int place_open(int root_fd, char *path, bool make);

#endif
