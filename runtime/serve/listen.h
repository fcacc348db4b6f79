/*
 * listen - the socket that a server listens on: HOST:PORT, unix:PATH, or one that systemd passes.
 *
 * Touches the OS. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_LISTEN_H
#define GLOVEBOX_SERVE_LISTEN_H

#include <stdbool.h>

#include "base/err.h"
#include "serve/origin.h"

/*
 * listen_keep - close every descriptor but 0 to 2 and the socket that was passed, which no child
 * inherits. Called before anything is opened or started: what a caller has left open (a file of
 * root's) would stay in a process that parses requests.
 */
int listen_keep(struct err *e);

/*
 * listen_open - make it, or take the one that was passed (sd_listen_fds(3)).
 *
 * @where  "HOST:PORT", where the host is an address or "localhost", or "unix:PATH". A socket file
 *         that nobody listens on is replaced.
 * @is_tls for what is said.
 * @said   gets what it is, for people: owned by the caller.
 * Returns an owned, non-blocking descriptor. Errors: ERR_INPUT, ERR_BUSY, ERR_SYSTEM.
 */
int listen_open(const char *where, bool is_tls, enum origin_listen *kind, char **said,
		struct err *e);

/* The socket was passed: the next server accepts who waits there. */
bool listen_is_passed(void);

#endif
