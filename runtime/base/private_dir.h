/*
 * private_dir - a directory of ours for locks and names that nobody else may take.
 *
 * Touches the OS. Runs: anywhere outside.
 */
#ifndef GLOVEBOX_BASE_PRIVATE_DIR_H
#define GLOVEBOX_BASE_PRIVATE_DIR_H

#include "base/err.h"

#define PRIVATE_DIR_ROOT "/run/glovebox"

/*
 * private_dir_open - make it if it is missing (only the last name), and check by its descriptor
 * that it is ours and that nobody else can write to it.
 * Returns an owned descriptor, or -1: ERR_INPUT names the directory and the remedy.
 */
int private_dir_open(const char *path, struct err *e);

#endif
