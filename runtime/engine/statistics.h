/*
 * statistics - GET /containers/X/stats.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_STATISTICS_H
#define GLOVEBOX_ENGINE_STATISTICS_H

#include "web/http.h"

void statistics_run(struct request *r);

#endif
