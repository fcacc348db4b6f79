/*
 * place - where an entry of an archive goes: its name cleaned, its directory
 * opened inside a root that no symbolic link leaves.
 */
#ifndef GLOVEBOX_ROOTFS_PLACE_H
#define GLOVEBOX_ROOTFS_PLACE_H

#include <stdbool.h>

#define PLACE_BYTES_MAX 4096

/* No "./", no double or trailing slash, never absolute, no "..". */
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
 * Symbolic links are followed, all inside the root, as they will be when the tree is a sandbox's
 * root. -1 with errno.
 */
int place_open(int root_fd, char *path, bool make);

#endif
