/*
 * cgroup_members - the processes of a group, known by every thread of theirs.
 */
#include "host/cgroup_members.h"

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

#define KILL_PASSES 8

struct pids {
	pid_t *items;
	size_t count;
};

static void pids_fini(struct pids *p)
{
	free(p->items);
}

static bool pids_have(const struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->items[i] == pid)
			return true;
	}
	return false;
}

static void pids_add(struct pids *p, pid_t pid)
{
	if (!(p->count & (p->count - 1)))
		p->items = reallocarray(p->items, p->count ? 2 * p->count : 1, sizeof(pid));
	if (!p->items)
		abort();
	p->items[p->count++] = pid;
}

/* v1 calls the list of threads "tasks". */
static FILE *open_threads(int dir)
{
	int fd = openat(dir, "tasks", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fd = openat(dir, "cgroup.threads", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? NULL : fdopen(fd, "r");
}

static bool next_thread(FILE *file, pid_t *thread)
{
	char line[32];

	if (!fgets(line, sizeof(line), file))
		return false;
	*thread = (pid_t)strtol(line, NULL, 10);
	return true;
}

/* The process that a thread belongs to (proc(5)); 0: it has ended. */
static pid_t process_of(pid_t thread)
{
	char path[64];
	char status[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)thread);
	if (io_peek(AT_FDCWD, path, status, sizeof(status)))
		return 0;
	at = strstr(status, "\nTgid:");
	return at ? (pid_t)strtol(at + 6, NULL, 10) : 0;
}

static bool is_member(pid_t process, pid_t thread, const char *group)
{
	char path[64];
	char text[4096];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/cgroup", (int)process, (int)thread);
	return !io_peek(AT_FDCWD, path, text, sizeof(text)) && strstr(text, group);
}

int cgroup_each_process(int dir, const char *group,
			int (*act)(void *context, pid_t process, int pidfd), void *context)
{
	__attribute__((cleanup(pids_fini))) struct pids seen = {NULL, 0};
	FILE *file = open_threads(dir);
	pid_t thread;
	int acted = 0;

	if (!file)
		return -1;
	while (next_thread(file, &thread)) {
		pid_t process = process_of(thread);
		auto_fd int pidfd = -1;

		if (!process || pids_have(&seen, process))
			continue;
		/* First the descriptor, then the look: what is found there now is what it holds. */
		pidfd = (int)syscall(SYS_pidfd_open, process, 0);
		if (pidfd < 0 || !is_member(process, thread, group))
			continue;
		pids_add(&seen, process);
		acted += act(context, process, pidfd);
	}
	fclose(file);
	return acted;
}

int cgroup_each_thread(int dir, int (*act)(int to, pid_t thread), int to)
{
	FILE *file = open_threads(dir);
	pid_t thread;
	int count = 0;
	int bad = 0;

	if (!file)
		return -1;
	while (!bad && next_thread(file, &thread)) {
		bad = act ? act(to, thread) : 0;
		count++;
	}
	fclose(file);
	return bad ? -1 : count;
}

static int kill_one(void *context, pid_t process, int pidfd)
{
	(void)context;
	(void)process;
	syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	return 1;
}

void cgroup_kill(const char *group, const int *dirs, unsigned count)
{
	if (!count || !io_put(dirs[0], "cgroup.kill", "1"))
		return;
	for (unsigned i = 0; i < count; i++)
		(void)io_put(dirs[i], "pids.max", "0");
	/* Who has been killed starts nobody: each pass finds those alone whom the last one missed,
	 * and those that are still ending. */
	for (int pass = 0; pass < KILL_PASSES; pass++) {
		if (cgroup_each_process(dirs[0], group, kill_one, NULL) <= 0)
			return;
	}
}
