/*
 * metrics_text - GET /metrics: the counters, in Prometheus' text format 0.0.4.
 *
 * The numbers cover all keys, so a server with keys requires an operator's key (Prometheus' setting
 * `authorization`).
 *
 * Names that begin with code_interpreter_ are those of the service whose API we implement.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_METRICS_TEXT_H
#define GLOVEBOX_SERVE_METRICS_TEXT_H

#include "web/http.h"

/* The route. Without an answer of the supervisor within a second, its numbers are left out. */
void metrics_text_run(struct request *r);

#endif
