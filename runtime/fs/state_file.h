/*
 * state_file - open a file of ours in a directory of state.
 *
 * Only its user can enter the directory, but any program of that user can put something else under
 * a name there, and opening a FIFO or a leased file would wait. So opening never waits, follows no
 * link, and refuses what is not a regular file.
 *
 * Touches the OS. Runs: anywhere outside. Needs: nothing.
 */
#ifndef GLOVEBOX_FS_STATE_FILE_H
#define GLOVEBOX_FS_STATE_FILE_H

#include <stddef.h>

/*
 * state_file_open - the file that a name leads to.
 *
 * @dir    borrowed.
 * @flags  of openat(2), beside those that this adds; with O_CREAT only its owner may read it.
 * Returns an owned descriptor, or -1 with errno; ENXIO, ELOOP: not a regular file.
 */
int state_file_open(int dir, const char *name, int flags);

/*
 * state_file_replace - write a file anew: a crash leaves the old one or the new one, and a file
 * NAME.new that the next call removes.
 * Returns 0, or -1 with errno.
 */
int state_file_replace(int dir, const char *name, const void *bytes, size_t length);

#endif
