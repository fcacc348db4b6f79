/*
 * new_file - a file that a user named, to be written.
 *
 * In a directory where other users can exchange names the last one is not followed: their link
 * would have us empty a file of ours. A lease of theirs does not hold us. A FIFO of the
 * user's own is waited for, as by a shell.
 *
 * Touches the OS. Runs: anywhere outside, while signals still end us.
 */
#ifndef GLOVEBOX_BASE_NEW_FILE_H
#define GLOVEBOX_BASE_NEW_FILE_H

#include "base/err.h"

/*
 * new_file_open - open for writing, made with mode 0644 if it is missing.
 *
 * @more  O_TRUNC or O_EXCL.
 * Returns an owned descriptor, or -1 with *e; with O_EXCL e->number is EEXIST if it is there.
 */
int new_file_open(const char *path, int more, struct err *e);

#endif
