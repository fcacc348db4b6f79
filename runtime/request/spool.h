/*
 * spool - keep a long reply in an unlinked file of the store's directory, charged to its key's
 * `storage`, until the client has read it.
 *
 * Runs: serve. Needs: the store.
 */
#ifndef GLOVEBOX_REQUEST_SPOOL_H
#define GLOVEBOX_REQUEST_SPOOL_H

#include <stdint.h>

#include "web/http.h"

/*
 * Return a file for so many bytes, owned by the caller, or -1. The request holds the charge until
 * its end.
 */
int spool_open(struct request *r, uint64_t bytes);

#endif
