/*
 * dockerfile_known - an image that an earlier build has made of the same plan.
 *
 * image.json of such an image has the key of its last step and of its configuration ("build").
 *
 * Runs: glovebox-image. Needs: write access to the store.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_KNOWN_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_KNOWN_H

#include "dockerfile_step.h"

/* The key of the image that a stage becomes. Pure. */
void dockerfile_known_key(const struct plan_stage *stage, char out[DIGEST_HEX]);

/*
 * dockerfile_known_tag - give these names to the image with that key.
 * @id, @size_bytes  out: of it
 * 1: done; 0: this store has none; -1 with *e.
 */
int dockerfile_known_tag(const struct store *store, const char *key, const struct list *references,
			 char id[DIGEST_HEX], uint64_t *size_bytes, struct err *e);

#endif
