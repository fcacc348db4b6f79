/*
 * flags - what a server was asked for: defaults, a file, variables, flags, each before the last.
 *
 * Touches the OS. Runs: serve, as whoever starts it. Needs: read access to the file.
 */
#ifndef GLOVEBOX_SERVE_FLAGS_H
#define GLOVEBOX_SERVE_FLAGS_H

#include "serve/server.h"

/*
 * flags_read - fill options, terms and image.
 * Errors: ERR_INPUT, ERR_USAGE, ERR_UNSUPPORTED, naming the flag, the variable, or the file with
 * the member's path.
 */
int flags_read(struct server *server, int argc, char **argv, struct err *e);

#endif
