/*
 * usage - GET /system/df.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_USAGE_H
#define GLOVEBOX_ENGINE_USAGE_H

#include "web/http.h"

void usage_run(struct request *r);

#endif
