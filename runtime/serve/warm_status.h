/*
 * warm_status - ask the warm supervisor for its status, on behalf of a request.
 *
 * A stopped or overloaded supervisor delays only the requests that ask for its status, for a
 * second.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_WARM_STATUS_H
#define GLOVEBOX_SERVE_WARM_STATUS_H

#include "client/client.h"
#include "web/http.h"

/*
 * warm_status_ask - ask, and call `answered` now or later.
 *
 * Uses r->work and r->abandon until `answered` is called. @status is borrowed then; NULL: no answer
 * within a second.
 */
void warm_status_ask(struct request *r,
		     void (*answered)(struct request *r, const struct status_answer *status));

#endif
