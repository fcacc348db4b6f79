/*
 * usage - what a sandbox that stays uses now, and its processes.
 */
#include "monitor/usage.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup_members.h"
#include "host/process_status.h"

static int usage_add_process(void *context, pid_t process, int pidfd)
{
	struct monitor_answer *out = context;
	struct process_number *items = out->processes.items;

	(void)pidfd;
	out->process_count++;
	out->cpu_us += process_status_cpu_us(process);
	if (out->processes.count == MESSAGE_PROCESSES)
		return 1;
	items = own_grow(items, out->processes.count, sizeof(*items));
	items[out->processes.count++].pid = (uint64_t)process;
	out->processes.items = items;
	return 1;
}

static uint64_t usage_memory(const struct cgroup *group)
{
	char path[PATH_MAX];
	char text[32];

	return cgroup_memory_file(group, path) || io_peek(AT_FDCWD, path, text, sizeof(text))
		       ? 0
		       : strtoull(text, NULL, 10);
}

void usage_read(const struct run *run, struct monitor_answer *out)
{
	const struct sandbox *s = run_sandbox(run);
	const struct limits *l = &s->limits;
	struct cgroup_usage usage = {0};
	struct cgroup_memory memory;

	*out = (struct monitor_answer){.memory_most_bytes = l->memory_bytes};
	if (!s->cgroup.ref.count)
		return;
	if (l->cpu_quota_us != SPEC_UNLIMITED)
		out->cpus_milli = l->cpu_quota_us * 1000 / l->cpu_period_us;
	out->memory_bytes = usage_memory(&s->cgroup);
	cgroup_read_memory(&s->cgroup.ref, &memory);
	out->has_swap = memory.has_swap;
	out->swapped_bytes = memory.swapped_bytes;
	(void)cgroup_each_process(cgroup_processes(&s->cgroup.ref), s->cgroup.ref.name,
				  usage_add_process, out);
	/* Where the group counts CPU time, that of ended processes is in it as well. */
	cgroup_read_usage(&s->cgroup, &usage);
	if (usage.cpu_us)
		out->cpu_us = usage.cpu_us;
}
