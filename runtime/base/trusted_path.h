/*
 * trusted_path - open a path of the user's, unless a program may have redirected it.
 *
 * A program can leave a link in its output directory; on the next run that link could lead us to
 * any file of the user's. So a path is walked name by name, and a link is followed only where no
 * program of ours can have put it: in a directory that is neither ours nor writable for us, in "/",
 * in /dev, and in procfs. For root only the last three remain.
 *
 * Touches the OS. Runs: anywhere outside. Needs: what open(2) needs.
 * Errors of all: ERR_INPUT for a link, whose text names it and the remedy; else ERR_SYSTEM.
 */
#ifndef GLOVEBOX_BASE_TRUSTED_PATH_H
#define GLOVEBOX_BASE_TRUSTED_PATH_H

#include <stdbool.h>

#include "base/err.h"

/*
 * @path  absolute, or below the current directory.
 * @make  make missing directories, mode 0755, where no other user can write (make_dir.h).
 * Returns an owned descriptor for reading, or -1.
 */
int trusted_path_directory(const char *path, bool make, struct err *e);

/*
 * The same for a file: a regular one, or what /dev and procfs lead to (/dev/stdout, a pipe of the
 * shell). A FIFO elsewhere is refused at once, without waiting.
 *
 * @flags  O_RDONLY or O_WRONLY, O_CREAT (mode 0600), O_TRUNC (a regular file is emptied after all
 *         checks).
 */
int trusted_path_file(const char *path, int flags, struct err *e);

#endif
