/*
 * listen - the socket that a server listens on: HOST:PORT, unix:PATH, or one inherited from
 * systemd.
 *
 * Touches the OS. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_LISTEN_H
#define GLOVEBOX_WEB_LISTEN_H

#include <stdbool.h>

#include "base/err.h"
#include "web/origin.h"

/*
 * listen_keep - close every descriptor but 0 to 2 and the inherited socket, which children do not
 * get. Call it before anything is opened or started: a descriptor that a caller has left open (a
 * file of root's) would stay in the process that parses requests.
 */
int listen_keep(struct err *e);

/*
 * listen_open - bind a socket, or take the inherited one (sd_listen_fds(3)).
 *
 * @where  "HOST:PORT", where the host is an address or "localhost", or "unix:PATH". A socket file
 *         without a listener is replaced. NULL: the inherited one (listen_is_passed()).
 * @is_tls only for *said.
 * @said   out: the address as text for people; owned by the caller.
 * Returns an owned, non-blocking descriptor. Errors: ERR_INPUT, ERR_BUSY, ERR_SYSTEM, of a text
 * without @where.
 */
int listen_open(const char *where, bool is_tls, enum origin_listen *kind, char **said,
		struct err *e);

/*
 * Whether a socket was inherited; whether it is this one: the next server accepts the connections
 * that wait in it.
 */
bool listen_is_passed(void);
bool listen_was_passed(int fd);

#endif
