/*
 * dockerfile_sources - what COPY or ADD is to copy, from where, and to whom it belongs.
 *
 * Runs: glovebox-image. Needs: read access to the context and to images.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_SOURCES_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_SOURCES_H

#include "dockerfile_step.h"

/*
 * dockerfile_sources_read - read the instruction and pack its files.
 *
 * @p        a stage before `stage` may be what it copies from
 * @out      owned, also on errors
 * @content  a digest of what is copied; of another stage its key
 */
int dockerfile_sources_read(const struct plan_request *q, const struct plan *p,
			    const struct plan_stage *stage, const struct instruction *i,
			    struct plan_copy *out, char content[DIGEST_HEX], struct err *e);

#endif
