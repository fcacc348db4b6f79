/*
 * branch - a session's code moves into namespaces that were made for a copy of it.
 */
#include "inside/branch.h"

#include <linux/sched.h>

#include "inside/confine.h"
#include "inside/sys.h"

long branch_enter(const int fds[BRANCH_NAMESPACES])
{
	static const int kinds[] = {
		[BRANCH_USER] = CLONE_NEWUSER, [BRANCH_MNT] = CLONE_NEWNS,
		[BRANCH_NET] = CLONE_NEWNET,   [BRANCH_IPC] = CLONE_NEWIPC,
		[BRANCH_UTS] = CLONE_NEWUTS,   [BRANCH_CGROUP] = CLONE_NEWCGROUP,
		[BRANCH_PID] = CLONE_NEWPID,
	};
	long n = 0;

	for (int i = 0; i < BRANCH_NAMESPACES && n >= 0; i++)
		n = sys2(__NR_setns, fds[i], kinds[i]);
	return n;
}

long branch_settle(int root_fd)
{
	const struct inside_plan plan = {.control_fd = -1};
	struct err e;
	long n = sys1(__NR_fchdir, root_fd);

	if (n >= 0)
		n = sys1(__NR_chroot, ".");
	return n < 0 || confine_run(settle_steps, &plan, &e) ? -1 : 0;
}
