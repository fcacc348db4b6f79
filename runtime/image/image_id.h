/*
 * image_id - find an image by its id, or by the beginning of one, as Docker does where no tag has
 * the name.
 *
 * A canonical name is one if it is "sha256:DIGITS", or "DIGITS:latest" with 12 digits or more: what
 * lists of images print. Shorter words are names only.
 *
 * Reads the file system. Runs: monitor, supervisor, agent, glovebox-image. Needs: read access to
 * the store.
 */
#ifndef GLOVEBOX_IMAGE_IMAGE_ID_H
#define GLOVEBOX_IMAGE_IMAGE_ID_H

#include <stdbool.h>

#include "base/err.h"

#define IMAGE_ID 65 /* bytes of a whole one, with the NUL */

/*
 * image_id_find - whether a store has a tree whose id begins with the digits of a canonical name.
 * @id  out: the whole one.
 * Returns 1, or 0: none, or the name has another form; -1 with ERR_INPUT: it begins several.
 */
int image_id_find(const char *store, const char *reference, char id[IMAGE_ID], struct err *e);

/* image_id_of_target - the id in the target of a tag, "../trees/ID". Returns false: it is none. */
bool image_id_of_target(const char *target, char id[IMAGE_ID]);

#endif
