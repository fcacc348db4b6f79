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

/* PUT: the body goes to a file that has no name, and then into the container. */
bool archive_take(struct request *r, const char *bytes, size_t length);
void archive_put(struct request *r);

#endif
