/*
 * self_path - find the file of our own program, and files beside it.
 *
 * Touches the OS. Runs: anywhere outside. Needs: /proc.
 */
#ifndef GLOVEBOX_FS_SELF_PATH_H
#define GLOVEBOX_FS_SELF_PATH_H

#include <limits.h>
#include <stddef.h>

#include "base/err.h"

/* The file that this process executes. Errors: ERR_SYSTEM. */
int self_path(char out[PATH_MAX], struct err *e);

/*
 * self_assume - from now on that is this file, if it exists: for a program of somebody else's,
 * which links us.
 */
void self_assume(const char *file);

/* Its directory. */
int self_directory(char out[PATH_MAX], struct err *e);

/*
 * self_find - find the first of some directories beside ours that contains a name.
 *
 * @directory  ours, of self_directory().
 * @places     relative to it: "../guest".
 * @name       of the file that must exist; "." is the directory itself.
 * @out        the place's real path. Returns 0, or -1: none has it.
 */
int self_find(const char *directory, const char *const *places, size_t count, const char *name,
	      char out[PATH_MAX]);

#endif
