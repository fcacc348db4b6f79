/*
 * probe_file - find the program that selftest runs inside, as a file that a sandbox can mount.
 *
 * In a build, or installed, it lies beside our program, with the files of warm Pythons
 * (warm/guest.h). The one-file program contains it, and writes it to a directory of the caller
 * (runtime/appliance/guest.c).
 *
 * Runs: the process of `glovebox selftest`. Needs: read access to it; the one-file program: @dir.
 */
#ifndef GLOVEBOX_SELFTEST_PROBE_FILE_H
#define GLOVEBOX_SELFTEST_PROBE_FILE_H

#include <limits.h>

#include "base/err.h"

/*
 * probe_file_find - its path.
 * @dir  that the caller removes; programs in it must be executable
 * Errors: ERR_INPUT: it does not exist; ERR_SYSTEM: it cannot be written.
 */
int probe_file_find(const char *dir, char out[PATH_MAX], struct err *e);

#endif
