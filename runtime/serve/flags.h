/*
 * flags - a server's settings: flags override variables, the file, and the defaults, in this order.
 *
 * Touches the OS. Runs: serve, before become_user(). Needs: read access to the file.
 */
#ifndef GLOVEBOX_SERVE_FLAGS_H
#define GLOVEBOX_SERVE_FLAGS_H

#include "request/server.h"

/*
 * flags_read - fill in options, terms and image.
 * Errors: ERR_INPUT, ERR_USAGE, ERR_UNSUPPORTED, naming the flag, the variable, or the file with
 * the member's path.
 */
int flags_read(struct server *server, int argc, char **argv, struct err *e);

#endif
