/*
 * cgroup_members - list and kill the processes of a group, found by their threads.
 */
#include "cgroup/cgroup_members.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup.h"
#include "host/process_status.h"
#include "loop/clock.h"

#define KILL_PASSES 8
#define COUNT_US    20000 /* keep it short: the caller is about to kill them */

struct pids {
	pid_t *items;
	size_t count;
};

static void cgroup_members_pids_fini(struct pids *p)
{
	free(p->items);
}

static bool cgroup_members_pids_have(const struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->items[i] == pid)
			return true;
	}
	return false;
}

static void cgroup_members_pids_add(struct pids *p, pid_t pid)
{
	p->items = own_grow(p->items, p->count, sizeof(pid));
	p->items[p->count++] = pid;
}

/* v1 lists threads in "tasks". */
static FILE *cgroup_members_open_threads(int dir)
{
	int fd = openat(dir, "tasks", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fd = openat(dir, "cgroup.threads", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? NULL : fdopen(fd, "r");
}

static bool cgroup_members_next_thread(FILE *file, pid_t *thread)
{
	char line[32];

	if (!fgets(line, sizeof(line), file))
		return false;
	*thread = (pid_t)strtol(line, NULL, 10);
	return true;
}

static bool cgroup_members_is_member(pid_t process, pid_t thread, const char *group)
{
	char path[64];
	char text[4096];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/cgroup", (int)process, (int)thread);
	return !io_peek(AT_FDCWD, path, text, sizeof(text)) && strstr(text, group);
}

int cgroup_each_process(int dir, const char *group,
			int (*act)(void *context, pid_t process, int pidfd), void *context)
{
	__attribute__((cleanup(cgroup_members_pids_fini))) struct pids seen = {NULL, 0};
	FILE *file = cgroup_members_open_threads(dir);
	pid_t thread;
	int acted = 0;

	if (!file)
		return -1;
	while (cgroup_members_next_thread(file, &thread)) {
		pid_t process = process_status_number(thread, "Tgid:");
		auto_fd int pidfd = -1;
		int n;

		if (!process || cgroup_members_pids_have(&seen, process))
			continue;
		/*
		 * Open the descriptor before the check, so that the check is about the process it
		 * holds.
		 */
		pidfd = (int)syscall(SYS_pidfd_open, process, 0);
		if (pidfd < 0 || !cgroup_members_is_member(process, thread, group))
			continue;
		cgroup_members_pids_add(&seen, process);
		n = act(context, process, pidfd);
		if (n < 0)
			break;
		acted += n;
	}
	fclose(file);
	return acted;
}

int cgroup_each_thread(int dir, int (*act)(int to, pid_t thread), int to)
{
	FILE *file = cgroup_members_open_threads(dir);
	pid_t thread;
	int count = 0;
	int bad = 0;

	if (!file)
		return -1;
	while (!bad && cgroup_members_next_thread(file, &thread)) {
		bad = act ? act(to, thread) : 0;
		count++;
	}
	fclose(file);
	return bad ? -1 : count;
}

struct cpu_sum {
	uint64_t us;
	uint64_t end_us; /* deadline of the walk */
};

static int cgroup_members_add_cpu(void *context, pid_t process, int pidfd)
{
	struct cpu_sum *sum = context;

	(void)pidfd;
	sum->us += process_status_cpu_us(process);
	if (monotonic_us() < sum->end_us)
		return 1;
	sum->us = 0;
	return -1;
}

uint64_t cgroup_members_cpu_us(const struct cgroup_ref *group)
{
	struct cpu_sum sum = {.end_us = monotonic_us() + COUNT_US};

	/* On v2 the group counts CPU time itself. */
	if (group->count && faccessat(group->dirs[0], "cgroup.kill", F_OK, 0))
		cgroup_each_process(group->dirs[0], group->name, cgroup_members_add_cpu, &sum);
	return sum.us;
}

static int cgroup_members_kill_one(void *context, pid_t process, int pidfd)
{
	(void)context;
	(void)process;
	syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	return 1;
}

void cgroup_kill(const struct cgroup_ref *group)
{
	if (!group->count || !io_put(cgroup_processes(group), "cgroup.kill", "1"))
		return;
	for (unsigned i = 0; i < group->count; i++)
		(void)io_put(group->dirs[i], "pids.max", "0");
	/*
	 * A killed process cannot fork: each pass finds only processes that the last one missed,
	 * and those still exiting.
	 */
	for (int pass = 0; pass < KILL_PASSES; pass++) {
		if (cgroup_each_process(group->dirs[0], group->name, cgroup_members_kill_one,
					NULL) <= 0)
			return;
	}
}
