/*
 * place - make one member in a directory: a file, a directory, a link.
 *
 * A name that is there already goes, and nothing is ever opened by it; but a directory stays, and
 * only a directory can have its name.
 *
 * Touches the OS. Runs: mover. Needs: the right to write in the directory.
 */
#ifndef GLOVEBOX_MOVER_PLACE_H
#define GLOVEBOX_MOVER_PLACE_H

#include "mover/tar.h"

#define PLACE_STAYS 1 /* of place_directory() */

/* place_take_empty - from now on an empty directory goes as well, for what is none. */
void place_take_empty(void);

/*
 * place_file - make a file with the data that follow in the stream, which are read.
 *
 * Blocks of zeros become holes. Returns whether the rest of the stream can be unpacked; if not, it
 * has said why.
 */
bool place_file(int dir_fd, const char *name, const struct tar_entry *entry);

/* These return 0 or a negative errno. */
long place_write(int fd, const unsigned char *bytes, size_t size);
long place_link(int dir_fd, const char *name, const struct tar_entry *entry);

/* @target_fd: the directory of the file that exists, @target: its name there. */
long place_hard_link(int dir_fd, const char *name, int target_fd, const char *target);

/* Make it with all rights for its owner; PLACE_STAYS: it is there. */
long place_directory(int dir_fd, const char *name, unsigned mode);

/* Give all rights on a directory that is there to its owner, and the others as a mode has them. */
long place_change_directory(int dir_fd, const char *name, unsigned mode);

/* Whether something is mounted on a name (statx(2), Linux 5.8). */
bool place_is_mount(int dir_fd, const char *name);

/* The mode and the time of a directory, once everything in it is there. A failure of the latter
 * does not count. */
long place_finish_directory(int dir_fd, const char *name, const struct tar_entry *entry);

#endif
