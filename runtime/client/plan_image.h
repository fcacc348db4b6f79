/*
 * plan_image - a plan in a memfd, with everything that it points to, for a process that is not a
 * copy of ours (inside/cell.h).
 *
 * Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_PLAN_IMAGE_H
#define GLOVEBOX_CLIENT_PLAN_IMAGE_H

#include "base/err.h"
#include "inside/plan.h"

/*
 * plan_image_make - write `plan` to a new memfd.
 *
 * @out_fd      owned by the caller on success.
 * @out_bytes   its size.
 * @trees       out: the tree descriptors of the plan in order, `max_trees` at most; borrowed from
 *              the plan. The memfd has indices into this.
 * @tree_count  out: their number.
 *
 * Errors: ERR_UNSUPPORTED for too many trees; ERR_SYSTEM.
 */
int plan_image_make(const struct inside_plan *plan, int *out_fd, uint64_t *out_bytes, int *trees,
		    unsigned max_trees, unsigned *tree_count, struct err *e);

#endif
