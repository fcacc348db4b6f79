/*
 * program_path - the file of the program `glovebox`, for a face that starts another of it.
 *
 * The one file has its own (runtime/appliance/program_path.c): there every program is one.
 */
#ifndef GLOVEBOX_CLIENT_PROGRAM_PATH_H
#define GLOVEBOX_CLIENT_PROGRAM_PATH_H

#include <limits.h>

#define PROGRAM_PATH_SIZE (PATH_MAX + 32)

/*
 * Write the path; -1 if there is no /proc to find it by.
 *
 * Runs: faces, and what they fork.  Needs: nothing.
 */
int program_path(char out[PROGRAM_PATH_SIZE]);

/*
 * program_path_of - the same of a program beside it; it may not be there.
 * -1: it is no file of its own, and is never there (the one file).
 */
int program_path_of(const char *name, char out[PROGRAM_PATH_SIZE]);

#endif
