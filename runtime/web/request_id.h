/*
 * request_id - the id of a request, in its reply, the log and the audit.
 *
 * A client may choose it (X-Request-ID), as [A-Za-z0-9._-]{1,64}; any other is replaced by one of
 * ours. It need not be unique, and proves nothing.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_REQUEST_ID_H
#define GLOVEBOX_WEB_REQUEST_ID_H

#include "web/http.h"

/* Set the id of a request whose headers are complete, and of its reply. */
void request_id_give(struct request *r);

#endif
