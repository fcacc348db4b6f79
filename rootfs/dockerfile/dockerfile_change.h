/*
 * dockerfile_change - change the configuration of an image by instructions: `import --change`,
 * `commit --change`.
 *
 * The text is not trusted. No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_CHANGE_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_CHANGE_H

#include "base/err.h"
#include "base/list.h"
#include "rootfs/archive/meta.h"

/*
 * dockerfile_change - apply instructions in their order.
 * Errors: ERR_INPUT: one is malformed, or makes files (FROM, RUN, COPY, ADD).
 */
int dockerfile_change(const struct list *changes, struct meta *meta, struct err *e);

#endif
