/*
 * health - whether this server can serve: for people who watch it, and for balancers.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HEALTH_H
#define GLOVEBOX_SERVE_HEALTH_H

#include "serve/http.h"

/* The routes. */
void health_run(struct request *r);       /* always 200 */
void health_run_ready(struct request *r); /* 503 if it cannot */

#endif
