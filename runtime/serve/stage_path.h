/*
 * stage_path - the path of a staged file in a workspace: relative, made canonical.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_STAGE_PATH_H
#define GLOVEBOX_SERVE_STAGE_PATH_H

#include <stdbool.h>

/*
 * stage_path_clean - remove doubled slashes and single dots.
 *
 * @has_entrypoint  __main__.py at the top of the workspace is reserved for the program.
 * @out             on success the path, owned by the caller; else NULL.
 * Returns NULL, or the error as a sentence of the reference API.
 */
const char *stage_path_clean(const char *path, bool has_entrypoint, char **out);

/* Whether one of two different clean paths is a directory above the other. */
bool stage_path_is_above(const char *a, const char *b);

#endif
