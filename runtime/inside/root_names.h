/*
 * root_names - directories, files and links of a new root, reached with no link followed.
 *
 * Paths are relative to the new root, which is the current directory. A link of the image on the
 * way would be followed against the host's root, which is still ours, so it is an error
 * (openat2(2)).
 *
 * Runs: pid 1, or the program of a cell, while it builds its root. Needs: nothing but the rights
 * that it has over the root. Without a libc.
 */
#ifndef GLOVEBOX_INSIDE_ROOT_NAMES_H
#define GLOVEBOX_INSIDE_ROOT_NAMES_H

#include "base/err.h"
#include "inside/plan.h"

/* A descriptor (O_PATH and `flags`) of `path`, which the caller closes, or a negative errno. */
long root_names_open(const char *path, int flags);

/* Make what a ROOT_DIR, ROOT_FILE or ROOT_LINK asks for. */
int root_names_make(const struct root_op *op, struct err *e);

#endif
