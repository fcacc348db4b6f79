/*
 * spool - a body that is kept until it is complete, in a file without a name.
 *
 * A command that reads an archive begins only when all of it has come: a client that leaves in the
 * middle has changed nothing.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_SPOOL_H
#define GLOVEBOX_ENGINE_SPOOL_H

#include "web/http.h"

/* Keep a piece of the body, for a route that calls spool_end(). */
bool spool_take(struct request *r, const char *bytes, size_t length);

/*
 * spool_end - the body, from its beginning; owned, empty if there was none.
 * Returns -1: it could not be kept, and the request is answered.
 */
int spool_end(struct request *r);

#endif
