/*
 * admission - wait until the monitor has mapped the ids and made the cgroups.
 *
 * Until then both share one descriptor table (CLONE_FILES), so this process has every file that the
 * monitor opens meanwhile. At admission it gets a table of its own, and closes the monitor's end of
 * the control socket in it: a copy of that end would hide the monitor's death from our reads.
 * Before that the parent-death signal reports the death, and the monitor's pidfd if it came even
 * earlier.
 */
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <time.h>

#include "inside/confine.h"
#include "inside/report.h"
#include "inside/sys.h"

#define DEADLINE_SECONDS 60
#define COUNTERS         "/proc/self/net/snmp"

/*
 * Send the counters of a missing network (sandbox/network_tried.h) along, opened in the outer
 * /proc: the program may have ended before the monitor reads this report.
 */
static void admission_report_parted(const struct inside_plan *plan)
{
	const struct report parted = {.kind = REPORT_PARTED};
	long fd = plan->is_nursery || plan->egress_fd >= 0
			  ? -1
			  : sys_openat(AT_FDCWD, COUNTERS, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0) {
		sys_write(plan->control_fd, &parted, sizeof(parted));
		return;
	}
	inside_send_fd(plan, REPORT_PARTED, (int)fd);
	sys_close((int)fd);
}

int confine_admission(const struct inside_plan *plan, struct err *e)
{
	struct pollfd fds[] = {
		{plan->control_fd, POLLIN, 0},
                {plan->parent_fd,  POLLIN, 0}
        };
	struct timespec deadline = {.tv_sec = DEADLINE_SECONDS};
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
	admission_report_parted(plan);
	if (confine_omitted(plan, "cgroup"))
		return 0;
	n = inside_join_cgroups(&go);
	return n < 0 ? inside_fail(e, n, "join the cgroups", NULL) : 0;
}
