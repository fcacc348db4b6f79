/*
 * dockerfile_sources - read COPY or ADD: what to copy, from where, and for which owner.
 *
 * Runs: glovebox-image. Needs: read access to the context and to images.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_SOURCES_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_SOURCES_H

#include "dockerfile_step.h"

/*
 * dockerfile_sources_read - read the instruction and pack its files.
 *
 * @p        it may copy from a stage before `stage`
 * @out      owned, also on errors
 * @content  a digest of the copied files; for another stage its key
 */
int dockerfile_sources_read(const struct plan_request *q, const struct plan *p,
			    const struct plan_stage *stage, const struct instruction *i,
			    struct plan_copy *out, char content[DIGEST_HEX], struct err *e);

#endif
