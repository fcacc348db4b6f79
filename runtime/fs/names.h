/*
 * names - list the names in a directory.
 *
 * Touches the OS. Runs: anywhere outside. Needs: the right to read the directory.
 */
#ifndef GLOVEBOX_FS_NAMES_H
#define GLOVEBOX_FS_NAMES_H

#include "base/list.h"

/*
 * names_read - read the names in a directory, sorted by their bytes, without "." and "..".
 *
 * @dir_fd  borrowed, O_PATH is enough. Read from its beginning, through a new open file, whose
 *          position other holders cannot move.
 * @most    the most names to take: a directory may be endless.
 * @out     owned by the caller: list_fini().
 * Returns 0; 1 if there were more; -1 with errno, and *out is empty.
 */
int names_read(int dir_fd, size_t most, struct list *out);

#endif
