/*
 * probe_file - the program that selftest runs inside, as a file that a sandbox can mount.
 *
 * In a build, or installed, it is beside us, with the files of warm Pythons (warm/guest.h). The one
 * file holds it, and writes it into a directory of the caller's (runtime/appliance/guest.c).
 *
 * Runs: the process of `glovebox selftest`. Needs: read access to it; the one file: @dir.
 */
#ifndef GLOVEBOX_SELFTEST_PROBE_FILE_H
#define GLOVEBOX_SELFTEST_PROBE_FILE_H

#include <limits.h>

#include "base/err.h"

/*
 * probe_file_find - its path.
 * @dir  that the caller removes; its programs must be allowed to run
 * Errors: ERR_INPUT: it is not there; ERR_SYSTEM: it cannot be written.
 */
int probe_file_find(const char *dir, char out[PATH_MAX], struct err *e);

#endif
