/*
 * dockerfile_stages - find the stages of a Dockerfile, and those that a build needs.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_STAGES_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_STAGES_H

#include "dockerfile_step.h"

/*
 * Find all FROM, with the arguments before the first; sets `target` and `needed`. Errors: the line.
 */
int dockerfile_stages_find_all(const struct plan_request *q, struct plan *out, struct err *e);

/* The stage of that name before stage `before`; NULL: none. */
struct plan_stage *dockerfile_stages_find(const struct plan *p, const char *name, size_t before);

/* The stage of that name or number, for COPY --from and --target. */
struct plan_stage *dockerfile_stages_find_source(const struct plan *p, const char *name,
						 size_t before);

#endif
