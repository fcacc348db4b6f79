/*
 * plan_map - map a plan that came in a memfd, at the one address that both sides use.
 */
#include "inside/plan_map.h"

#include <sys/mman.h>

#include "inside/sys.h"

struct inside_plan *plan_map(int fd, uint64_t size, const int *trees, unsigned tree_count)
{
	struct inside_plan *plan = (struct inside_plan *)CELL_PLAN_ADDRESS;
	struct root_op *ops;
	long n = sys_call6(__NR_mmap, (long)CELL_PLAN_ADDRESS, (long)size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);

	if (n != (long)CELL_PLAN_ADDRESS)
		return NULL;
	ops = (struct root_op *)plan->ops;
	for (size_t i = 0; i < plan->op_count; i++) {
		if (ops[i].tree_fd >= (int)tree_count) {
			plan_unmap(size);
			return NULL;
		}
		if (ops[i].tree_fd >= 0)
			ops[i].tree_fd = trees[ops[i].tree_fd];
	}
	plan->is_cell = true;
	return plan;
}

void plan_unmap(uint64_t size)
{
	sys2(__NR_munmap, CELL_PLAN_ADDRESS, size);
}
