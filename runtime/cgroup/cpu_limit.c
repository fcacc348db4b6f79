/*
 * cpu_limit - compare the CPU time of a sandbox with its limit.
 */
#include "cgroup/cpu_limit.h"

#include <unistd.h>

#define LEAST_US 5000

uint64_t cpu_limit_next(const struct cgroup *group, uint64_t limit_us)
{
	struct cgroup_usage usage;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t next;

	cgroup_read_usage(group, &usage);
	if (usage.cpu_us >= limit_us)
		return 0;
	next = (limit_us - usage.cpu_us) / (uint64_t)(cpus > 0 ? cpus : 1);
	return next < LEAST_US ? LEAST_US : next;
}
