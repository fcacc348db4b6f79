/*
 * volumes - the routes of /volumes.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_VOLUMES_H
#define GLOVEBOX_ENGINE_VOLUMES_H

#include "web/http.h"

void volumes_list(struct request *r);
void volumes_create(struct request *r);
void volumes_inspect(struct request *r);
void volumes_remove(struct request *r);
void volumes_prune(struct request *r);

#endif
