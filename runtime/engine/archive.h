/*
 * archive - /containers/X/archive: tar streams out of a container, and into it.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_ARCHIVE_H
#define GLOVEBOX_ENGINE_ARCHIVE_H

#include "web/http.h"

/* GET, and HEAD: only the header X-Docker-Container-Path-Stat, by the first entry of the tar. */
void archive_get(struct request *r);

/* PUT: the body of spool_take() goes into the container. */
void archive_put(struct request *r);

#endif
