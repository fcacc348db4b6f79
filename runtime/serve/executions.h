/*
 * executions - list the running and the recent executions of a key: /v1/executions.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_EXECUTIONS_H
#define GLOVEBOX_SERVE_EXECUTIONS_H

#include "web/http.h"

/* The route. */
void executions_run_list(struct request *r);

#endif
