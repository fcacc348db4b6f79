/*
 * plan_map - map a plan that came in a memfd, at the one address that both sides use.
 *
 * Runs: the program of a cell. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_PLAN_MAP_H
#define GLOVEBOX_INSIDE_PLAN_MAP_H

#include "inside/plan.h"

/*
 * Pointers in a plan are valid on both sides. The kernel places programs, heaps and libraries far
 * from this address; if it is occupied all the same, mapping fails and the run is refused.
 */
#define CELL_PLAN_ADDRESS 0x200000000000ul

/*
 * plan_map - map a plan, privately.
 * @trees  the descriptors that its operations name by index.
 * Returns the plan, or NULL. It stays mapped until plan_unmap().
 */
struct inside_plan *plan_map(int fd, uint64_t size, const int *trees, unsigned tree_count);

void plan_unmap(uint64_t size);

#endif
