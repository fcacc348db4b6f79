/*
 * images_find - the image that a request names, and the words of Docker where there is none.
 *
 * Runs: engine. Needs: read access to the store.
 */
#ifndef GLOVEBOX_ENGINE_IMAGES_FIND_H
#define GLOVEBOX_ENGINE_IMAGES_FIND_H

#include "image/image.h"
#include "web/http.h"

/*
 * images_find - by a name, an id or the beginning of one.
 * @out  end with image_close().
 * Returns false: there is none, and the request is answered.
 */
bool images_find(struct request *r, const char *name, struct image *out);

/* The canonical form of a name, owned; NULL: it is none, and the request is answered. */
char *images_reference(struct request *r, const char *name);

#endif
