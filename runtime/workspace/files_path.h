/*
 * files_path - clean a caller's path: below /workspace, or anywhere in the sandbox.
 *
 * The path is relative, or begins with "/workspace/". It may contain any bytes but NUL, UTF-8 or
 * not. No side effects.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_WORKSPACE_FILES_PATH_H
#define GLOVEBOX_WORKSPACE_FILES_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define FILES_PATH_BYTES_MAX 4095 /* as given; the kernel's own limit for one call */
#define FILES_NAME_BYTES_MAX 255  /* of one component */

/* Relative, without "./", "..", double or trailing slashes. */
struct files_path {
	const char *root;                    /* below which it lies: /workspace, or / */
	char text[FILES_PATH_BYTES_MAX + 1]; /* "a/b"; "" is /workspace itself */
	size_t name;                         /* where the last component begins in text */
	bool directory;                      /* written as a directory: "a/", "a/." */
};

/*
 * files_path_set - clean a caller's path.
 *
 * "", ".", "/workspace" and "/workspace/" mean the workspace itself.
 * Errors: ERR_INPUT, in one line; then *p must not be used.
 */
int files_path_set(struct files_path *p, const char *text, struct err *e)
	__attribute__((nonnull(1, 2, 3)));

/*
 * files_path_set_anywhere - the same of an absolute path in the sandbox; it becomes relative to /.
 */
int files_path_set_anywhere(struct files_path *p, const char *text, struct err *e)
	__attribute__((nonnull(1, 2, 3)));

/* The path as errors name it. */
const char *files_path_shown(const struct files_path *p);

#endif
