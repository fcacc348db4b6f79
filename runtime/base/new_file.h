/*
 * new_file - a file that a user named, to be written.
 *
 * In a directory where other users can exchange names, a link as the last name is not followed: it
 * could make us empty a file of ours. Another user's lease does not make us wait. A FIFO of the
 * user's own does, as in a shell.
 *
 * Touches the OS. Runs: anywhere outside, before signals are blocked.
 */
#ifndef GLOVEBOX_BASE_NEW_FILE_H
#define GLOVEBOX_BASE_NEW_FILE_H

#include "base/err.h"

/*
 * new_file_open - open for writing; made with mode 0644 if missing.
 *
 * @more  O_TRUNC or O_EXCL.
 * Returns an owned descriptor, or -1 with *e; with O_EXCL e->number is EEXIST if the file exists.
 */
int new_file_open(const char *path, int more, struct err *e);

#endif
