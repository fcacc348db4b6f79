/*
 * cgroup - enter the cgroups (v1) and hide their names.
 *
 * On v2 the child is born inside its group (CLONE_INTO_CGROUP) and need not join. On v1, writing
 * "0" to `tasks` moves only the calling thread, for which the kernel skips the global lock and its
 * RCU grace period: 80 us instead of 7 ms (kernel/cgroup/cgroup-v1.c, __cgroup1_procs_write;
 * cgroup_procs_write_start: "threadgroup" is false for `tasks` of current).
 */
#include <linux/sched.h>

#include "inside/confine.h"
#include "inside/sys.h"

long inside_join_cgroups(const struct order *go)
{
	for (unsigned i = 0; i < go->cgroup_count; i++) {
		long n = sys_write(go->cgroup_fds[i], "0", 1);

		if (n < 0)
			return n;
	}
	return 0;
}

/* After joining, so that the namespace's root is our own group (cgroup_namespaces(7)). */
int confine_cgroup_ns(const struct inside_plan *plan, struct err *e)
{
	long n = sys1(__NR_unshare, CLONE_NEWCGROUP);

	(void)plan;
	return n < 0 ? inside_fail_namespaces(e, n, CLONE_NEWUSER | CLONE_NEWCGROUP,
					      "unshare the cgroup namespace")
		     : 0;
}
