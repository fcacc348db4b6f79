/*
 * cgroup_cpuset - compare the CPUs asked for with the available ones: the kernel only reports that
 * something is out of range.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "cgroup/cgroup.h"

/* Read one range of "0-2,4"; returns what follows it. */
static const char *cgroup_cpuset_range(const char *list, long *low, long *high)
{
	char *end;

	*low = *high = strtol(list, &end, 10);
	if (*end == '-')
		*high = strtol(end + 1, &end, 10);
	return end + strcspn(end, "0123456789");
}

bool cgroup_cpuset_has(const char *list, long cpu)
{
	while (*list) {
		long low;
		long high;

		list = cgroup_cpuset_range(list, &low, &high);
		if (cpu >= low && cpu <= high)
			return true;
	}
	return false;
}

int cgroup_put_cpuset(int dir_fd, const char *cpus, int parent_fd, const char *file, struct err *e)
{
	char there[1024];

	/* If the kernel does not list the available ones, let it judge the value. */
	if (io_peek(parent_fd, file, there, sizeof(there)) || !*there)
		return cgroup_put(dir_fd, "cpuset.cpus", cpus, e);
	for (const char *p = cpus; *p;) {
		long low;
		long high;

		p = cgroup_cpuset_range(p, &low, &high);
		for (long cpu = low; cpu <= high; cpu++) {
			if (!cgroup_cpuset_has(there, cpu))
				return err_input(e,
						 "--cpuset-cpus: %.100s is not available here: "
						 "there are the CPUs %.200s",
						 cpus, there);
		}
	}
	return cgroup_put(dir_fd, "cpuset.cpus", cpus, e);
}

int cgroup_fill_cpuset(int dir_fd, int from_fd, struct err *e)
{
	static const char *const files[] = {"cpuset.cpus", "cpuset.mems"};
	char value[1024];

	for (int i = 0; i < 2; i++) {
		if (!io_peek(dir_fd, files[i], value, sizeof(value)) && *value)
			continue;
		if (io_peek(from_fd, files[i], value, sizeof(value)))
			return err_sys(e, "read %s", files[i]);
		if (cgroup_put(dir_fd, files[i], value, e))
			return -1;
	}
	return 0;
}
