/*
 * path - the name of a member as a way down from a directory.
 *
 * Pure. Runs: mover put. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_PATH_H
#define GLOVEBOX_MOVER_PATH_H

#include <stddef.h>

#define PATH_PART_MOST 255 /* NAME_MAX */

/*
 * path_clean - rewrite a name in place as "part/part": slashes at the front, at the end and in a
 * row go, and so does ".".
 *
 * @length  of the result; 0: it is the directory itself.
 * Returns NULL, or a text that says what is wrong: a part is "..", or longer than PATH_PART_MOST.
 */
const char *path_clean(char *path, size_t *length);

/* Where the last part of a clean path begins. */
size_t path_last(const char *path, size_t length);

#endif
