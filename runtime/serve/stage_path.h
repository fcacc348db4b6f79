/*
 * stage_path - where a caller wants a file in a workspace: a relative path, made plain.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_STAGE_PATH_H
#define GLOVEBOX_SERVE_STAGE_PATH_H

#include <stdbool.h>

/*
 * stage_path_clean - without doubled slashes and single dots.
 *
 * @has_entrypoint  __main__.py in the workspace itself is the program's.
 * @out             on success the path, owned by the caller; else NULL.
 * Returns NULL, or what is wrong with it: a sentence, as clients know it.
 */
const char *stage_path_clean(const char *path, bool has_entrypoint, char **out);

/* Whether one of two different plain paths would have to be a directory above the other. */
bool stage_path_is_above(const char *a, const char *b);

#endif
