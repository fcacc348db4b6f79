/*
 * first_names - remember the first name of each file that has several.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_FIRST_NAMES_H
#define GLOVEBOX_ROOTFS_ARCHIVE_FIRST_NAMES_H

#include <sys/stat.h>

struct first_names {
	void *tree; /* tsearch(3) */
};

/* The file's first name, borrowed; NULL: this is the first, and a copy is stored. */
const char *first_names_of(struct first_names *f, const struct stat *st, const char *path);
void first_names_fini(struct first_names *f);

#endif
