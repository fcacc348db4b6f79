/*
 * early_end - whether a cell is only ending any more, and will do so without us.
 */
#include "host/early_end.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/loop.h"
#include "host/cgroup_network.h"
#include "host/process_status.h"

#define FIRST_PAUSE_US 100 /* a killed process needs a CPU to begin its end */
#define LAST_PAUSE_US  2000

struct early_end early_end_none(void)
{
	return (struct early_end){.next_us = LOOP_NEVER, .pause_us = FIRST_PAUSE_US};
}

/*
 * How many tasks the sandbox has, with those that are dead and not reaped yet
 * (kernel/cgroup/pids.c). That of its network counts in the group and is none of them.
 */
static uint64_t early_end_count(const struct cgroup *group)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < group->count && !count; i++)
		count = cgroup_number(group->dirs[i], "pids.current", NULL);
	return count - cgroup_network_count(group);
}

/* Of a group of two, the one that is not pid 1. 0: there are others, or fewer, or it is not said.
 */
static pid_t early_end_other(const struct cgroup *group, pid_t init)
{
	const int dir = cgroup_processes(group->dirs, group->count);
	char text[64];
	char *end = text;
	pid_t pids[2];

	/* v1 calls the list of threads "tasks". */
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
	/* Whoever is in the list was counted, so nobody else has been. */
	pid_t other = early_end_other(group, process_status_behind(init));

	e->cpu_us = other ? process_status_cpu_us(other) : 0;
	return other && process_status_is_exiting(other);
}
