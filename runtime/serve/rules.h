/*
 * rules - the operator's files: ceilings, the keys within them, the certificate, the audit.
 *
 * Touches the OS. Runs: serve, as the user who serves. Needs: read access to these files.
 */
#ifndef GLOVEBOX_SERVE_RULES_H
#define GLOVEBOX_SERVE_RULES_H

#include "request/server.h"

/*
 * rules_read - read them at start.
 *
 * @tls  out, owned: the certificate; NULL: there is none.
 * Errors: ERR_INPUT, ERR_LIMIT, ERR_NOT_FOUND, ERR_SYSTEM, naming the file or the flag.
 */
int rules_read(struct server *server, struct tls **tls, struct err *e);

/*
 * rules_reload - read them again (SIGHUP). Ceilings and keys change together or not at all; errors
 * are logged, and the old rules stay in force.
 */
void rules_reload(struct server *server);

#endif
