/*
 * admission - wait until the monitor has mapped the ids and made the cgroups.
 *
 * Until then both share one descriptor table (CLONE_FILES), so this process has whatever the
 * monitor opens meanwhile; now it gets a table of its own. The monitor's end of the control socket
 * is closed in it: a copy of that end would hide the monitor's death from our reads. Before that
 * the parent-death signal reports the death, and the monitor's pidfd if it came even earlier.
 */
#include <linux/close_range.h>
#include <poll.h>
#include <time.h>

#include "inside/confine.h"
#include "inside/sys.h"

#define DEADLINE_SECONDS 60

int confine_admission(const struct inside_plan *plan, struct err *e)
{
	struct pollfd fds[] = {
		{plan->control_fd, POLLIN, 0},
                {plan->parent_fd,  POLLIN, 0}
        };
	struct timespec deadline = {.tv_sec = DEADLINE_SECONDS};
	const struct report parted = {.kind = REPORT_PARTED};
	struct order go = {0};
	long n;

	n = sys5(__NR_ppoll, fds, 2, &deadline, NULL, 0);
	if (n > 0 && !fds[1].revents)
		n = sys_read(plan->control_fd, &go, sizeof(go));
	if (n != (long)sizeof(go) || go.kind != ORDER_GO)
		return inside_fail(e, n < 0 ? n : -ECONNABORTED, "wait for the supervisor", NULL);
	n = sys3(__NR_close_range, plan->outer_fd, plan->outer_fd, CLOSE_RANGE_UNSHARE);
	if (n < 0)
		return inside_fail(e, n, "part with the supervisor's descriptors", NULL);
	sys_write(plan->control_fd, &parted, sizeof(parted));
	if (confine_omitted(plan, "cgroup"))
		return 0;
	n = inside_join_cgroups(&go);
	return n < 0 ? inside_fail(e, n, "join the cgroups", NULL) : 0;
}
