/*
 * cgroup_controllers - tell which controllers limits need, and the remedy if they were not given.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "cgroup/cgroup.h"
#include "cgroup/cgroup_given.h"
#include "cgroup/cgroup_try.h"
#include "host/system_program.h"

const char *const cgroup_controllers[CGROUP_CONTROLLERS] = {"memory", "pids", "cpu", "cpuacct",
							    "cpuset"};

bool cgroup_needs(const struct limits *l, enum cgroup_controller controller)
{
	switch (controller) {
	case CGROUP_MEMORY:
		return true;
	case CGROUP_PIDS:
		return l->pids != SPEC_UNLIMITED;
	case CGROUP_CPU:
		return l->cpu_quota_us != SPEC_UNLIMITED;
	case CGROUP_CPUACCT:
		return l->cpu_time_ms != SPEC_UNLIMITED;
	case CGROUP_CPUSET:
		return l->cpuset;
	case CGROUP_CONTROLLERS:
		break;
	}
	return false;
}

/* Without memory there can be no group, and so no limits. */
static const char *cgroup_controllers_without(unsigned lacking)
{
	if (lacking & (1u << CGROUP_MEMORY))
		return "without limits (--memory 0 --cpus 0 --pids-limit 0) only cold runs work";
	if (lacking == 1u << CGROUP_CPUSET)
		return "or leave out --cpuset-cpus";
	if (lacking == 1u << CGROUP_CPUACCT)
		return "or leave out --cpu-time";
	return "or give these limits up (--cpus 0, --pids-limit 0), for cold runs only";
}

static bool cgroup_controllers_are_read_only(unsigned lacking)
{
	for (enum cgroup_controller i = CGROUP_MEMORY; i < CGROUP_CONTROLLERS; i++)
		if (lacking & (1u << i) && cgroup_is_read_only(i))
			return true;
	return false;
}

static bool cgroup_controllers_are_old(unsigned lacking)
{
	for (enum cgroup_controller i = CGROUP_MEMORY; i < CGROUP_CONTROLLERS; i++)
		if (lacking & (1u << i) && cgroup_given_is_old(i, geteuid()))
			return true;
	return false;
}

int cgroup_not_given(unsigned lacking, struct err *e)
{
	const char *named = getenv("GLOVEBOX_CGROUP");
	char setup[SYSTEM_PROGRAM_SETUP_SIZE];
	auto_buf struct buf list = {0};

	for (enum cgroup_controller i = CGROUP_MEMORY; i < CGROUP_CONTROLLERS; i++)
		if (lacking & (1u << i))
			buf_printf(&list, "%s%s", list.length ? ", " : "", cgroup_controllers[i]);
	if (named && *named)
		return err_set(
			e, ERR_UNSUPPORTED,
			"the control group %.100s, which GLOVEBOX_CGROUP names, is not yours "
			"to use for %s",
			named, buf_string(&list));
	if (cgroup_controllers_are_read_only(lacking))
		return err_set(
			e, ERR_UNSUPPORTED,
			"limits need control groups, and those for %s are mounted read-only: "
			"\"mount -o remount,bind,rw\" below /sys/fs/cgroup as root, or run the "
			"container with --security-opt writable-cgroups=true (Podman: "
			"unmask=/sys/fs/cgroup)",
			buf_string(&list));
	if (geteuid() == 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "limits need control groups, and for %s none can be made here, "
			       "because the groups belong to another root, as in a user namespace: "
			       "have one delegated; %s",
			       buf_string(&list), cgroup_controllers_without(lacking));
	if (cgroup_controllers_are_old(lacking))
		return err_set(e, ERR_UNSUPPORTED,
			       "limits need a control group of your own, and that for %s is of an "
			       "earlier glovebox, which made you the owner of its limits: \"%s\" "
			       "gives you another; %s",
			       buf_string(&list), system_program_setup(setup),
			       cgroup_controllers_without(lacking));
	return err_set(e, ERR_UNSUPPORTED,
		       "limits need a control group of your own, and for %s there is none: "
		       "\"%s\" gives you that for good; %s",
		       buf_string(&list), system_program_setup(setup),
		       cgroup_controllers_without(lacking));
}
