/*
 * execs - the routes of execs: a further program of a container.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_EXECS_H
#define GLOVEBOX_ENGINE_EXECS_H

#include "web/http.h"

void execs_create(struct request *r);
void execs_start(struct request *r);
void execs_inspect(struct request *r);
void execs_resize(struct request *r);

#endif
