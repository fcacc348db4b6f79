/*
 * metrics_text - GET /metrics: what the server counts, in Prometheus' text format 0.0.4.
 *
 * The numbers tell how all keys use the server: where there are keys it needs an operator's, for
 * which Prometheus has a setting (authorization).
 *
 * Names that begin with code_interpreter_ are those of the service whose clients we serve.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_METRICS_TEXT_H
#define GLOVEBOX_SERVE_METRICS_TEXT_H

#include "serve/http.h"

/* The route. It asks the supervisor, and answers without its numbers if that takes a second. */
void metrics_text_run(struct request *r);

#endif
