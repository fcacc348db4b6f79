/*
 * make_dirs - directories on the host that a user named and that do not exist yet.
 *
 * Docker makes a missing -v source as root's; here it belongs to whoever owns
 * the directory around it.
 *
 * Runs: supervisor.
 */
#ifndef GLOVEBOX_HOST_MAKE_DIRS_H
#define GLOVEBOX_HOST_MAKE_DIRS_H

#include "base/err.h"

/* @path  absolute, shorter than PATH_MAX. What exists is left alone. */
int make_dirs(const char *path, struct err *e);

#endif
