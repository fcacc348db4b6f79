/*
 * runtime_dir - where a warm supervisor is found.
 *
 *   WHERE/glovebox/warm.sock; the user's own, for which `where` is NULL, in the directory of
 *   private_dir_of_user() (fs/private_dir.h)
 *
 * Runs: client, supervisor. Needs: write access to that directory, to listen.
 */
#ifndef GLOVEBOX_WIRE_RUNTIME_DIR_H
#define GLOVEBOX_WIRE_RUNTIME_DIR_H

#include "base/err.h"

/*
 * runtime_dir_lock - become the only supervisor of this user, on a socket that exists already.
 * @out_lock  held while we live; owned by the caller.
 * Errors: ERR_INPUT when another one is running, or the directory is not ours.
 */
int runtime_dir_lock(int *out_lock, struct err *e);

/*
 * runtime_dir_listen - make the directory (mode 0700) and a listening socket in it.
 * @out_fd   owned by the caller.
 * @out_lock as from runtime_dir_lock().
 * Errors: as there, and when systemd listens on that socket.
 */
int runtime_dir_listen(const char *where, int *out_fd, int *out_lock, struct err *e);
/* The socket that runtime_dir_listen() made. */
void runtime_dir_unlink(void);

/*
 * runtime_dir_connect - connect to the supervisor there, which runs as this user.
 *
 * Never waits. Returns 0: *out_fd is non-blocking and owned by the caller; 1 when there is none; -1
 * for an error: the socket or directory is not ours, or the directory could not be made; ERR_BUSY:
 * its queue of connections is full.
 */
int runtime_dir_connect(const char *where, int *out_fd, struct err *e);

#endif
