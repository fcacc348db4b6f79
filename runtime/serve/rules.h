/*
 * rules - the files by which an operator decides who may use a server, and how much: ceilings, keys
 * below them, the certificate that they see, and where it is written down.
 *
 * Touches the OS. Runs: serve, as the user who serves. Needs: read access to these files.
 */
#ifndef GLOVEBOX_SERVE_RULES_H
#define GLOVEBOX_SERVE_RULES_H

#include "serve/server.h"

/*
 * rules_read - at the start.
 *
 * @tls  out, owned: the certificate; NULL: there is none.
 * Errors: ERR_INPUT, ERR_LIMIT, ERR_NOT_FOUND, ERR_SYSTEM, naming the file or the flag.
 */
int rules_read(struct server *server, struct tls **tls, struct err *e);

/*
 * rules_reload - SIGHUP: read them anew. Ceilings and keys change together, or neither; what is
 * wrong is said in the log, and what was in force stays so.
 */
void rules_reload(struct server *server);

#endif
