/*
 * cgroup_try - find out by trying which limits work here, for doctor.
 */
#include "cgroup/cgroup_try.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"

static bool cgroup_try_is_in_v2(const char *name)
{
	char list[256];
	char *save = NULL;

	if (io_peek(AT_FDCWD, "/sys/fs/cgroup/cgroup.controllers", list, sizeof(list)))
		return false;
	for (char *word = strtok_r(list, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (!strcmp(word, name))
			return true;
	return false;
}

static const char *cgroup_try_name(enum cgroup_controller controller)
{
	return controller < CGROUP_CONTROLLERS ? cgroup_controllers[controller] : "freezer";
}

/* Stat the file system of the controller's groups. */
static int cgroup_try_statfs(enum cgroup_controller controller, struct statfs *out)
{
	char path[64] = "/sys/fs/cgroup";

	if (cgroup_detect() != &cgroup_v2)
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", cgroup_try_name(controller));
	return statfs(path, out);
}

bool cgroup_is_read_only(enum cgroup_controller controller)
{
	struct statfs fs;

	return !cgroup_try_statfs(controller, &fs) && fs.f_flags & ST_RDONLY;
}

bool cgroup_is_offered(enum cgroup_controller controller)
{
	struct statfs fs;

	/* On v2 every group counts CPU time and is its own freezer. */
	if (cgroup_detect() == &cgroup_v2)
		return controller >= CGROUP_CPUACCT && controller != CGROUP_CPUSET
			       ? true
			       : cgroup_try_is_in_v2(cgroup_try_name(controller));
	return !cgroup_try_statfs(controller, &fs) && fs.f_type == CGROUP_SUPER_MAGIC;
}

/* The number of a CPU that we may use. */
static char *cgroup_try_cpu(char out[24])
{
	cpu_set_t set;
	int cpu = 0;

	CPU_ZERO(&set);
	if (!sched_getaffinity(0, sizeof(set), &set))
		while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &set))
			cpu++;
	snprintf(out, 24, "%d", cpu);
	return out;
}

int cgroup_try(unsigned wanted, struct err *e)
{
	char cpu[24];
	const struct limits limits = {
		.memory_bytes = 64u << 20,
		.pids = wanted & CGROUP_BIT(CGROUP_PIDS) ? 8 : SPEC_UNLIMITED,
		.cpu_quota_us = wanted & CGROUP_BIT(CGROUP_CPU) ? 100000 : SPEC_UNLIMITED,
		.cpu_period_us = 100000,
		.cpu_time_ms = wanted & CGROUP_BIT(CGROUP_CPUACCT) ? 1000 : SPEC_UNLIMITED,
		.cpuset = wanted & CGROUP_BIT(CGROUP_CPUSET) ? cgroup_try_cpu(cpu) : NULL};
	struct cgroup c;
	struct err ignored;
	char id[32];
	int status = 0;

	snprintf(id, sizeof(id), "try-%d", (int)getpid());
	if (cgroup_open(id, &limits, &c, e))
		return -1;
	if (wanted & CGROUP_BIT(CGROUP_CONTROLLERS)) {
		status = cgroup_freeze(&c.ref, e);
		(void)cgroup_thaw(&c.ref, &ignored);
	}
	cgroup_close(&c);
	return status;
}
