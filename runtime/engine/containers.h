/*
 * containers - the routes of /containers: what is asked once, and answered at once.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_CONTAINERS_H
#define GLOVEBOX_ENGINE_CONTAINERS_H

#include "web/http.h"

void containers_list(struct request *r);
void containers_create(struct request *r);
void containers_inspect(struct request *r);
void containers_start(struct request *r);
void containers_stop(struct request *r);
void containers_restart(struct request *r);
void containers_kill(struct request *r);
void containers_pause(struct request *r);
void containers_unpause(struct request *r);
void containers_rename(struct request *r);
void containers_update(struct request *r);
void containers_remove(struct request *r);
void containers_prune(struct request *r);
void containers_top(struct request *r);
void containers_changes(struct request *r);
void containers_commit(struct request *r);

#endif
