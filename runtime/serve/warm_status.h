/*
 * warm_status - what the warm supervisor says of itself, for a request that waits for it.
 *
 * A supervisor that is stopped, or that has more to do than it can, keeps only those waiting who
 * ask for it, and them for a second.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_WARM_STATUS_H
#define GLOVEBOX_SERVE_WARM_STATUS_H

#include "client/client.h"
#include "serve/http.h"

/*
 * warm_status_ask - ask, and call `answered` later, or at once.
 *
 * It takes r->work and r->abandon, until `answered` is called. @status there is borrowed; NULL: no
 * answer within a second.
 */
void warm_status_ask(struct request *r,
		     void (*answered)(struct request *r, const struct status_answer *status));

#endif
