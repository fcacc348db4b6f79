/*
 * fd_path - the path that names an open descriptor, and the path of its file.
 *
 * Touches the OS. Runs: anywhere outside. Needs: /proc.
 */
#ifndef GLOVEBOX_BASE_FD_PATH_H
#define GLOVEBOX_BASE_FD_PATH_H

#include <limits.h>

/* For calls that accept no O_PATH descriptor: this path names the descriptor itself. */
struct fd_path {
	char text[32];
};
struct fd_path fd_path(int fd);

/*
 * fd_path_read - the present path of its file. A racer can put something else at that path, but not
 * into the descriptor. Returns 0, or -1 with errno.
 */
int fd_path_read(int fd, char out[PATH_MAX]);

/*
 * The same relative to a root: "" is the root itself. Both borrowed. -1: it is not below the root.
 */
int fd_path_below(int root_fd, int fd, char out[PATH_MAX]);

#endif
