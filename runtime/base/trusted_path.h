/*
 * trusted_path - open a path of the user's, unless a program may have bent it.
 *
 * What a program wrote in one run stands on the way of the next: a link in its output
 * directory would have anything of the user's opened in its place. So a path is walked name
 * by name, and a link on it is followed only where no program of ours can have put it: in a
 * directory that is neither ours nor writable for us, in "/", in /dev, and in procfs. For
 * root that leaves the last three.
 *
 * Touches the OS. Runs: anywhere outside. Needs: what open(2) needs.
 * Errors of all: ERR_INPUT for a link, the text names it and the remedy; else ERR_SYSTEM.
 */
#ifndef GLOVEBOX_BASE_TRUSTED_PATH_H
#define GLOVEBOX_BASE_TRUSTED_PATH_H

#include <stdbool.h>

#include "base/err.h"

/*
 * @path  absolute, or below the current directory.
 * @make  make what is missing of it, mode 0755, where no other user can write (make_dir.h).
 * Returns a descriptor for reading, owned, or -1.
 */
int trusted_path_directory(const char *path, bool make, struct err *e);

/*
 * The same for a file: an ordinary one, or what /dev and procfs lead to (/dev/stdout, a pipe
 * of the shell). A FIFO elsewhere is refused at once, not waited for.
 *
 * @flags  O_RDONLY or O_WRONLY, O_CREAT (mode 0600), O_TRUNC (an ordinary file is emptied
 *         when everything else was looked at).
 */
int trusted_path_file(const char *path, int flags, struct err *e);

#endif
