/*
 * runtime_dir - where the warm supervisor of a user is found.
 *
 *   $XDG_RUNTIME_DIR/glovebox/warm.sock, without that variable for root
 *   /run/glovebox/warm.sock
 *
 * Runs: supervisor, clients.
 */
#ifndef GLOVEBOX_CELL_RUNTIME_DIR_H
#define GLOVEBOX_CELL_RUNTIME_DIR_H

#include "base/err.h"

/*
 * runtime_dir_lock - be the one supervisor of this user, on a socket that is there already.
 * @out_lock  held as long as we are; owned by the caller.
 * Errors: ERR_INPUT when another one is running, or the directory is not ours.
 */
int runtime_dir_lock(int *out_lock, struct err *e);

/*
 * runtime_dir_listen - make the directory (mode 0700) and a listening socket in it.
 * @out_fd   owned by the caller.
 * @out_lock as from runtime_dir_lock().
 * Errors: as there, and when systemd listens on that socket.
 */
int runtime_dir_listen(int *out_fd, int *out_lock, struct err *e);
/* The socket that runtime_dir_listen() made. */
void runtime_dir_unlink(void);

/*
 * runtime_dir_connect - to the supervisor of this user.
 * Returns 0; 1 when there is none; -1 for an error: someone else's socket, a directory or a
 * variable with which there can be none.
 */
int runtime_dir_connect(int *out_fd, struct err *e);

#endif
