/*
 * make_dirs - directories on the host that a user named and that do not exist yet.
 *
 * Docker makes a missing -v source as root's, wherever it is; here it is made only where nobody
 * else can write, and belongs to our user (base/make_dir.h).
 *
 * Runs: monitor, agent. Needs: what mkdir(2) needs.
 */
#ifndef GLOVEBOX_BASE_MAKE_DIRS_H
#define GLOVEBOX_BASE_MAKE_DIRS_H

#include "base/err.h"

/*
 * make_dirs - walk a path, make its missing directories, and open it.
 *
 * @path  absolute. What exists is left alone.
 * Returns an owned O_PATH descriptor, or -1.
 */
int make_dirs(const char *path, struct err *e);

#endif
