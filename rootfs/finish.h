/*
 * finish - the last steps of every image: count, hash, describe, publish.
 */
#ifndef GLOVEBOX_ROOTFS_FINISH_H
#define GLOVEBOX_ROOTFS_FINISH_H

#include "base/err.h"
#include "rootfs/archive/meta.h"
#include "rootfs/store/store.h"

/*
 * @work       has the unpacked tree; on success the store has it under @references[0]
 * @meta       env, cmd, ... set; counts and seeds are filled in
 * @references canonical: all of them name the image; one without any is found by its id
 * @expected   the required id, 64 hex digits; NULL: any. ERR_INPUT for another.
 * @id         out: 64 hex digits
 */
int image_finish(struct work *work, struct meta *meta, const struct list *references,
		 const char *expected, char id[65], struct err *e);

/*
 * Print one line for each name of what was built on stdout; with --quiet the first name alone.
 * Under docker's name: docker's lines; with --quiet the id alone.
 */
void image_announce(const struct list *references, const char *id, uint64_t size_bytes);

#endif
