/*
 * images - the routes of /images, and /build.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_IMAGES_H
#define GLOVEBOX_ENGINE_IMAGES_H

#include "web/http.h"

void images_list(struct request *r);
void images_create(struct request *r);
void images_load(struct request *r);
void images_prune(struct request *r);
void images_get(struct request *r);

/* GET /images/NAME/json, .../history, .../get: a name may have slashes. */
void images_of(struct request *r);
void images_tag(struct request *r);
void images_remove(struct request *r);
void images_build(struct request *r);

#endif
