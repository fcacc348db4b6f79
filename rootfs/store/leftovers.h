/*
 * leftovers - measure and remove everything that builds keep in the store for later builds.
 *
 * Runs: glovebox-image. Needs: write access to the store.
 */
#ifndef GLOVEBOX_ROOTFS_STORE_LEFTOVERS_H
#define GLOVEBOX_ROOTFS_STORE_LEFTOVERS_H

#include <stdint.h>

#include "store.h"

struct leftovers {
	size_t count;   /* archives */
	uint64_t bytes; /* on the disk, of all files */
};

void leftovers_count(const struct store *s, struct leftovers *out);

/*
 * leftovers_remove - remove everything kept; *out: how much it was.
 * Errors: ERR_BUSY: a build may use it.
 */
int leftovers_remove(const struct store *s, struct leftovers *out, struct err *e);

#endif
