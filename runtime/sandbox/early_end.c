/*
 * early_end - tell whether a cell's last process is exiting, so that the run need not wait for it.
 */
#include "sandbox/early_end.h"

#include <stdlib.h>

#include "base/io.h"
#include "cgroup/cgroup_network.h"
#include "host/process_status.h"
#include "loop/loop.h"

#define FIRST_PAUSE_US 100 /* a killed process needs a CPU to start its exit */
#define LAST_PAUSE_US  2000

struct early_end early_end_none(void)
{
	return (struct early_end){.next_us = LOOP_NEVER, .pause_us = FIRST_PAUSE_US};
}

/*
 * How many tasks the sandbox has, including dead ones that are not reaped yet
 * (kernel/cgroup/pids.c), without glovebox-egress, which the group counts, too.
 */
static uint64_t early_end_count(const struct cgroup *group)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < group->ref.count && !count; i++)
		count = cgroup_number(group->ref.dirs[i], "pids.current", NULL);
	return count - cgroup_network_count(group);
}

/*
 * In a group of two processes, the one that is not pid 1. 0: there are others, or fewer, or the
 * list is unreadable.
 */
static pid_t early_end_other(const struct cgroup *group, pid_t init)
{
	const int dir = cgroup_processes(&group->ref);
	char text[64];
	char *end = text;
	pid_t pids[2];

	/* v1 lists threads in "tasks". */
	if (io_peek(dir, "tasks", text, sizeof(text)) &&
	    io_peek(dir, "cgroup.threads", text, sizeof(text)))
		return 0;
	for (int i = 0; i < 2; i++)
		pids[i] = (pid_t)strtol(end, &end, 10);
	if (*end || (pids[0] != init && pids[1] != init))
		return 0;
	return pids[0] == init ? pids[1] : pids[0];
}

bool early_end_may_be_near(struct early_end *e, uint64_t now, const struct cgroup *group)
{
	if (now < e->next_us && e->next_us != LOOP_NEVER)
		return false;
	e->next_us = now + e->pause_us;
	if (e->pause_us < LAST_PAUSE_US)
		e->pause_us *= 2;
	return early_end_count(group) == 2;
}

bool early_end_is_near(struct early_end *e, const struct cgroup *group, int init)
{
	/* The count of two includes both processes of the list, so no third one exists. */
	pid_t other = early_end_other(group, process_status_behind(init));

	e->cpu_us = other ? process_status_cpu_us(other) : 0;
	return other && process_status_is_exiting(other);
}
