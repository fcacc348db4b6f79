/*
 * branch_plan - what makes a copy of a session's root a branch's: file systems of its own.
 */
#include "cell/branch_plan.h"

#include <stdlib.h>

#include "base/own.h"
#include "base/path.h"
#include "cell/plan_image.h"

static bool is_fresh(const struct root_op *op)
{
	return op->kind == ROOT_PROC || op->kind == ROOT_DEVPTS ||
	       (op->kind == ROOT_TMPFS && op->landlock_write);
}

/* Whether it happens below a file system that is made anew. */
static bool is_below_fresh(const struct inside_plan *plan, const struct root_op *op)
{
	for (size_t i = 0; i < plan->op_count; i++) {
		if (&plan->ops[i] != op && is_fresh(&plan->ops[i]) &&
		    path_is_at_or_below(op->path - 1, plan->ops[i].path - 1))
			return true;
	}
	return false;
}

int branch_plan_make(const struct inside_plan *session, int *out_fd, struct err *e)
{
	static char *const nothing[] = {NULL};
	auto_free struct root_op *ops = calloc(session->op_count + 1, sizeof(*ops));
	struct inside_plan plan = *session;
	uint64_t bytes;
	unsigned trees;

	if (!ops)
		abort();
	*out_fd = -1;
	plan.op_count = 0;
	for (size_t i = 0; i < session->op_count; i++) {
		const struct root_op *op = &session->ops[i];
		bool below = is_below_fresh(session, op);

		if (below && op->kind == ROOT_BIND)
			return 0;
		if (below || is_fresh(op))
			ops[plan.op_count++] = *op;
	}
	plan.ops = ops;
	plan.argv = plan.envp = nothing;
	plan.is_branch = true;
	return plan_image_make(&plan, out_fd, &bytes, NULL, 0, &trees, e);
}
