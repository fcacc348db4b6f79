/*
 * root_names - make and open directories, files and links of a new root, without following links.
 *
 * Paths are relative to the new root, which is the current directory. The kernel would resolve a
 * link of the image against the host's root, which is still ours, so a link on the way is an error
 * (openat2(2)).
 *
 * Runs: pid 1, or the program of a cell, while it builds its root. Needs: only its rights over the
 * root. Without a libc.
 */
#ifndef GLOVEBOX_INSIDE_ROOT_NAMES_H
#define GLOVEBOX_INSIDE_ROOT_NAMES_H

#include "base/err.h"
#include "inside/plan.h"

/* A descriptor (O_PATH and `flags`) of `path`, which the caller closes, or a negative errno. */
long root_names_open(const char *path, int flags);

/* Make the directory, file or link of a ROOT_DIR, ROOT_FILE or ROOT_LINK. */
int root_names_make(const struct root_op *op, struct err *e);

#endif
