/*
 * cpu_limit - compare the CPU time of a sandbox with its limit.
 *
 * Runs: monitor, client. Needs: a group that counts CPU time.
 */
#ifndef GLOVEBOX_CGROUP_CPU_LIMIT_H
#define GLOVEBOX_CGROUP_CPU_LIMIT_H

#include "cgroup/cgroup.h"

/*
 * cpu_limit_next - the time until the next check, in us; 0: the limit is exceeded. CPU time grows
 * by at most one second per second and CPU, so an earlier check is useless.
 */
uint64_t cpu_limit_next(const struct cgroup *group, uint64_t limit_us);

#endif
