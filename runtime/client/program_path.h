/*
 * program_path - the path of the program `glovebox`, for a face that starts it.
 *
 * The one-file program has its own version (runtime/appliance/program_path.c): it contains all
 * programs.
 */
#ifndef GLOVEBOX_CLIENT_PROGRAM_PATH_H
#define GLOVEBOX_CLIENT_PROGRAM_PATH_H

#include <limits.h>

#define PROGRAM_PATH_SIZE (PATH_MAX + 32)

/*
 * Write the path; -1 without /proc.
 *
 * Runs: faces, and what they fork.  Needs: nothing.
 */
int program_path(char out[PROGRAM_PATH_SIZE]);

/*
 * program_path_of - the same for another program in that directory; the file may be missing. -1:
 * the one-file program contains it, so it has no path.
 */
int program_path_of(const char *name, char out[PROGRAM_PATH_SIZE]);

#endif
