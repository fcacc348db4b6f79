/*
 * ids - become the sandbox's user for good.
 *
 * The monitor maps exactly one uid and one gid. This step takes them before the first file is made,
 * because an id without a mapping cannot create files (EOVERFLOW, user_namespaces(7)). Capabilities
 * survive: no id involved is the namespace's uid 0, except with -u 0, which keeps them by
 * definition.
 */
#include "inside/confine.h"
#include "inside/sys.h"

int confine_ids(const struct inside_plan *plan, struct err *e)
{
	long n = 0;

	if (plan->may_set_groups && !confine_omitted(plan, "groups"))
		n = sys2(__NR_setgroups, 0, NULL);
	if (n < 0)
		return inside_fail(e, n, "drop supplementary groups", NULL);
	n = sys3(__NR_setresgid, plan->gid, plan->gid, plan->gid);
	if (n < 0)
		return inside_fail(e, n, "set the group id", NULL);
	n = sys3(__NR_setresuid, plan->uid, plan->uid, plan->uid);
	return n < 0 ? inside_fail(e, n, "set the user id", NULL) : 0;
}
