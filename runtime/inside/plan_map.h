/*
 * plan_map - a plan that came in a memfd, mapped at the one address that both sides use.
 *
 * Runs: the program of a cell. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_PLAN_MAP_H
#define GLOVEBOX_INSIDE_PLAN_MAP_H

#include "inside/plan.h"

/*
 * Pointers in a plan are valid on both sides. The address is far from where programs, heaps and
 * libraries are put; if something is there all the same, mapping fails and the run is refused.
 */
#define CELL_PLAN_ADDRESS 0x200000000000ul

/*
 * plan_map - map it, privately.
 * @trees  the descriptors that its operations name by index.
 * Returns the plan, or NULL. It stays mapped until plan_unmap().
 */
struct inside_plan *plan_map(int fd, uint64_t size, const int *trees, unsigned tree_count);

void plan_unmap(uint64_t size);

#endif
