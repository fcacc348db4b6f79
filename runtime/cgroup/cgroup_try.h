/*
 * cgroup_try - find out by trying which limits work here, for doctor.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_TRY_H
#define GLOVEBOX_CGROUP_CGROUP_TRY_H

#include <stdbool.h>

#include "base/err.h"
#include "cgroup/cgroup.h"

#define CGROUP_BIT(controller) (1u << (controller))
#define CGROUP_DEFAULT                                                                             \
	(CGROUP_BIT(CGROUP_MEMORY) | CGROUP_BIT(CGROUP_PIDS) | CGROUP_BIT(CGROUP_CPU))

/*
 * cgroup_try - make a group with limits of these controllers, and remove it.
 * @wanted  bits of controllers; bit CGROUP_CONTROLLERS: also freeze and thaw it.
 * Errors: those of cgroup_open() and cgroup_freeze().
 */
int cgroup_try(unsigned wanted, struct err *e);

/* Whether the machine has the controller, at least for root. */
bool cgroup_is_offered(enum cgroup_controller controller);

/* Whether its hierarchy is mounted read-only, which a user cannot change. */
bool cgroup_is_read_only(enum cgroup_controller controller);

#endif
