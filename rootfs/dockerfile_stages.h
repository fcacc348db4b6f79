/*
 * dockerfile_stages - the stages of a Dockerfile, and which of them a build needs.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_STAGES_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_STAGES_H

#include "dockerfile_step.h"

/* All FROM, with the arguments before the first; sets `target` and `needed`. Errors: the line. */
int dockerfile_stages_find_all(const struct plan_request *q, struct plan *out, struct err *e);

/* The stage of that name before stage `before`; NULL: there is none. */
struct plan_stage *dockerfile_stages_find(const struct plan *p, const char *name, size_t before);

/* The same, of that name or number: what COPY --from means, and --target. */
struct plan_stage *dockerfile_stages_find_source(const struct plan *p, const char *name,
						 size_t before);

#endif
