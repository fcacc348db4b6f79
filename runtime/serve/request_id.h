/*
 * request_id - what a request is called, in its reply, in the log and in the audit.
 *
 * Whoever asks may choose it (X-Request-ID) of [A-Za-z0-9._-]{1,64}; any other is not repeated, and
 * we make one. It need not be unique, and proves nothing.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_REQUEST_ID_H
#define GLOVEBOX_SERVE_REQUEST_ID_H

#include "serve/http.h"

/* Give it to a request whose headers are there, and to its reply. */
void request_id_give(struct request *r);

#endif
