/*
 * health - the routes that report whether this server can serve, to operators and load balancers.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HEALTH_H
#define GLOVEBOX_SERVE_HEALTH_H

#include "web/http.h"

/* Routes: the state, and whether the server is ready. */
void health_run(struct request *r);       /* always 200 */
void health_run_ready(struct request *r); /* 503 if it cannot serve */

#endif
