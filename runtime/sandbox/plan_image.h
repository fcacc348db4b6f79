/*
 * plan_image - copy a plan with everything that it points to into a memfd, for a process that is
 * not our fork (inside/cell.h).
 *
 * Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_SANDBOX_PLAN_IMAGE_H
#define GLOVEBOX_SANDBOX_PLAN_IMAGE_H

#include "base/err.h"
#include "inside/plan.h"

/*
 * plan_image_make - write `plan` to a new memfd.
 *
 * @out_fd      owned by the caller on success.
 * @out_bytes   its size.
 * @trees       out: the plan's tree descriptors in order, at most `max_trees`; borrowed from the
 *              plan. The memfd contains indices into this array.
 * @tree_count  out: their number.
 *
 * Errors: ERR_UNSUPPORTED: too many trees; ERR_SYSTEM.
 */
int plan_image_make(const struct inside_plan *plan, int *out_fd, uint64_t *out_bytes, int *trees,
		    unsigned max_trees, unsigned *tree_count, struct err *e);

/* Differs between builds that lay plans or orders out in another way: "2.192.64". */
const char *plan_image_layout(void);

/* The same as a number, which each plan begins with. */
uint32_t plan_image_number(void);

#endif
