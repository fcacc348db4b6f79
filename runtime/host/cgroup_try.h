/*
 * cgroup_try - which limits hold here, found by trying: for doctor.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_CGROUP_TRY_H
#define GLOVEBOX_HOST_CGROUP_TRY_H

#include <stdbool.h>

#include "base/err.h"
#include "host/cgroup.h"

#define CGROUP_BIT(controller) (1u << (controller))
#define CGROUP_DEFAULT                                                                             \
	(CGROUP_BIT(CGROUP_MEMORY) | CGROUP_BIT(CGROUP_PIDS) | CGROUP_BIT(CGROUP_CPU))

/*
 * cgroup_try - make a group with limits of these controllers, and remove it.
 * @wanted  bits; that of CGROUP_CONTROLLERS freezes it and thaws it.
 * Errors: of cgroup_open() and cgroup_freeze().
 */
int cgroup_try(unsigned wanted, struct err *e);

/* The machine has it, for root at least. */
bool cgroup_is_offered(enum cgroup_controller controller);

/* Its groups are mounted read-only, which no right of a user's changes. */
bool cgroup_is_read_only(enum cgroup_controller controller);

#endif
