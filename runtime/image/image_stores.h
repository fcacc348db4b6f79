/*
 * image_stores - where images are kept: the stores of this user, in their order (image/image.h).
 *
 * Reads the environment. Runs: monitor, supervisor, agent, glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_IMAGE_IMAGE_STORES_H
#define GLOVEBOX_IMAGE_IMAGE_STORES_H

#include <stddef.h>

struct image_stores {
	char *paths[2]; /* owned, absolute */
	size_t count;
};

/* Fill it; end it with image_stores_fini(). */
void image_stores_init(struct image_stores *s);
void image_stores_fini(struct image_stores *s);
#define auto_stores __attribute__((cleanup(image_stores_fini)))

/* The directory for new images: the first store. Owned by the caller. NULL: HOME is not set. */
char *image_store_path(void);

#endif
