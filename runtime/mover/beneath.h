/*
 * beneath - open directories below one, name by name and never through a link.
 *
 * openat2(RESOLVE_BENEATH) would be one call, but the sandbox's filter has none
 * (policy/python.json: its flags are in memory, where no filter sees them). Each part of a clean
 * path (mover/path.h) is opened with O_NOFOLLOW and O_DIRECTORY from the descriptor of the one
 * before, so that neither a link nor a race leads out: what is opened was at that moment a
 * directory in a directory of ours.
 *
 * The directories on the way to the last one stay open: members come in the order of their tree.
 *
 * Touches the OS. Runs: mover. Needs: the right to search and to make directories there.
 */
#ifndef GLOVEBOX_MOVER_BENEATH_H
#define GLOVEBOX_MOVER_BENEATH_H

#include <stdbool.h>
#include <stddef.h>

#include "mover/tar.h"

#define BENEATH_KEPT 64 /* levels; what lies deeper is walked again */

struct beneath {
	int root;       /* O_PATH; borrowed */
	unsigned depth; /* levels that are open */
	int fds[BENEATH_KEPT];
	size_t ends[BENEATH_KEPT]; /* in path */
	int deep;                  /* the last one handed out, if it is deeper; -1 */
	char path[TAR_NAME_MOST + 1];
};

void beneath_init(struct beneath *b, int root_fd);

/*
 * beneath_open - the directory at a clean path.
 *
 * @make  make what is missing, mode 0755.
 * Returns a descriptor (O_PATH), valid until the next call, or a negative errno: -ENOTDIR for a
 * link, too.
 */
int beneath_open(struct beneath *b, const char *path, size_t length, bool make);

/*
 * beneath_step - the directory that has a name in another one.
 *
 * @make  make it if it is missing, mode 0755.
 * Returns a descriptor (O_PATH), owned, or a negative errno: -ENOTDIR for a link, too.
 */
long beneath_step(int dir, const char *name, bool make);

#endif
