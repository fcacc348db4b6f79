/*
 * dockerfile_known - find an image that an earlier build made from the same plan.
 *
 * Its image.json contains a key of its last step and its configuration ("build").
 *
 * Runs: glovebox-image. Needs: write access to the store.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_KNOWN_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_KNOWN_H

#include "dockerfile_step.h"

/* The key of the image that a stage becomes. Pure. */
void dockerfile_known_key(const struct plan_stage *stage, char out[DIGEST_HEX]);

/*
 * dockerfile_known_tag - give these names to the image with that key.
 * @id, @size_bytes  out: of the image
 * 1: done; 0: this store has none; -1 with *e.
 */
int dockerfile_known_tag(const struct store *store, const char *key, const struct list *references,
			 char id[DIGEST_HEX], uint64_t *size_bytes, struct err *e);

#endif
