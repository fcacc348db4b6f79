/*
 * finish - the last steps of every image: count, hash, describe, publish.
 */
#ifndef GLOVEBOX_ROOTFS_FINISH_H
#define GLOVEBOX_ROOTFS_FINISH_H

#include "base/err.h"
#include "meta.h"
#include "store.h"

/*
 * @work       holds the unpacked tree; on success it is in the store under @reference
 * @meta       env, cmd, ... set; counts and seeds are filled in
 * Prints one line about the image on stdout.
 */
int image_finish(struct work *work, struct meta *meta, const char *reference, struct err *e);

#endif
