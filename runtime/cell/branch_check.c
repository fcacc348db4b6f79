/*
 * branch_check - whether the code that moved into a branch is confined, as seen from outside.
 */
#include "cell/branch_check.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "host/omit.h"

#define MAX_THREADS 64   /* of a branch that has just moved in; more are a refusal */
#define MAX_LOOKS   2000 /* 1 ms apart */

struct threads {
	pid_t ids[MAX_THREADS];
	unsigned count;
};

const char *branch_namespace_name(enum branch_fd which)
{
	static const char *const names[] = {
		[BRANCH_USER] = "user", [BRANCH_MNT] = "mnt", [BRANCH_NET] = "net",
		[BRANCH_IPC] = "ipc",   [BRANCH_UTS] = "uts", [BRANCH_CGROUP] = "cgroup",
		[BRANCH_PID] = "pid",
	};

	return names[which];
}

/*
 * Everything in the branch's group but pid 1: its processes, or their threads. One that is
 * born while the list is made comes later in it than who made it: none is missed as long as
 * there is any (kernel/cgroup/cgroup.c, css_task_iter_next()).
 */
static int list(int group, const char *name, pid_t init, struct threads *out, struct err *e)
{
	int fd = openat(group, name, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char line[32];
	int bad = 0;

	*out = (struct threads){.count = 0};
	if (!file)
		return err_sys(e, "list the processes of a branch");
	while (!bad && fgets(line, sizeof(line), file)) {
		pid_t id = (pid_t)strtol(line, NULL, 10);

		if (id == init)
			continue;
		if (out->count == MAX_THREADS)
			bad = err_set(e, ERR_SYSTEM, "the branch has started too many threads");
		else
			out->ids[out->count++] = id;
	}
	fclose(file);
	return bad;
}

static int list_threads(int group, pid_t init, struct threads *out, struct err *e)
{
	bool is_v2 = !faccessat(group, "cgroup.threads", F_OK, 0);

	return list(group, is_v2 ? "cgroup.threads" : "tasks", init, out, e);
}

static bool has(const struct threads *t, pid_t id)
{
	for (unsigned i = 0; i < t->count; i++) {
		if (t->ids[i] == id)
			return true;
	}
	return false;
}

/* The rest of the line that begins with `key`, NULL without one. */
static const char *field(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? at + strlen(key) : NULL;
}

static bool says(const char *status, const char *key, const char *wanted)
{
	const char *value = field(status, key);

	return value && !strncmp(value, wanted, strlen(wanted));
}

/* The last number of a line, which is as the innermost pid namespace has it. */
static uint32_t inside(const char *status, const char *key)
{
	const char *line = field(status, key);
	uint32_t number = 0;

	while (line && *line == '\t') {
		char *end;

		number = (uint32_t)strtoul(line + 1, &end, 10);
		line = end;
	}
	return number;
}

static int check_status(int proc, const struct branch_place *place, struct err *e)
{
	static const char *const empty[] = {"\nCapInh:\t", "\nCapPrm:\t", "\nCapEff:\t",
					    "\nCapBnd:\t", "\nCapAmb:\t"};
	char status[8192];
	char ids[64];

	if (io_peek(proc, "status", status, sizeof(status)))
		return err_set(e, ERR_SYSTEM, "the branch cannot be looked at");
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
		if (!says(status, empty[i], "0000000000000000\n"))
			return err_set(e, ERR_SYSTEM, "the branch still holds capabilities");
	}
	snprintf(ids, sizeof(ids), "%u\t%u\t%u\t%u\n", place->uid, place->uid, place->uid,
		 place->uid);
	if (!says(status, "\nUid:\t", ids))
		return err_set(e, ERR_SYSTEM, "the branch has other ids");
	snprintf(ids, sizeof(ids), "%u\t%u\t%u\t%u\n", place->gid, place->gid, place->gid,
		 place->gid);
	if (!says(status, "\nGid:\t", ids))
		return err_set(e, ERR_SYSTEM, "the branch has other ids");
	if (!says(status, "\nNoNewPrivs:\t", "1\n") || !says(status, "\nSeccomp:\t", "2\n"))
		return err_set(e, ERR_SYSTEM, "the branch is not filtered");
	/* A signal to a group reaches everybody in it, wherever he is. */
	if (!inside(status, "\nNSpgid:") || !inside(status, "\nNSsid:"))
		return err_set(e, ERR_SYSTEM, "the branch is in a process group of others");
	return 0;
}

static int check_namespaces(int proc, const struct branch_place *place, struct err *e)
{
	for (int i = 0; i < BRANCH_NAMESPACES; i++) {
		struct stat wanted;
		struct stat found;
		char path[16];

		snprintf(path, sizeof(path), "ns/%s", branch_namespace_name(i));
		if (fstat(place->namespaces[i], &wanted) || fstatat(proc, path, &found, 0))
			return err_sys(e, "look at %s of a branch", path);
		if (wanted.st_ino != found.st_ino || wanted.st_dev != found.st_dev)
			return err_set(e, ERR_SYSTEM, "the branch is not in its own %s", path);
	}
	return 0;
}

static int check_root(int proc, const struct branch_place *place, struct err *e)
{
	auto_fd int root = openat(proc, "root", O_PATH | O_CLOEXEC);
	struct statx wanted;
	struct statx found;

	if (root < 0 || statx(root, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &found) ||
	    statx(place->root, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &wanted))
		return err_sys(e, "look at the root of a branch");
	if (wanted.stx_ino != found.stx_ino || wanted.stx_mnt_id != found.stx_mnt_id)
		return err_set(e, ERR_SYSTEM, "the branch is not under its own root");
	return 0;
}

static int check_thread(pid_t id, const struct branch_place *place, struct err *e)
{
	char path[64];
	auto_fd int proc = -1;

	snprintf(path, sizeof(path), "/proc/%d", (int)id); /* of a thread, too (proc(5)) */
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return err_set(e, ERR_SYSTEM, "the branch has ended");
	return check_status(proc, place, e) || check_namespaces(proc, place, e) ||
			       check_root(proc, place, e)
		       ? -1
		       : 0;
}

/* Credentials belong to threads. Until there is none that was not looked at. */
static int check_threads(const struct branch_place *place, int group, struct err *e)
{
	struct threads seen = {.count = 0};
	struct threads now;
	bool found = true;

	while (found) {
		found = false;
		if (list_threads(group, place->init, &now, e))
			return -1;
		for (unsigned i = 0; i < now.count; i++) {
			if (has(&seen, now.ids[i]))
				continue;
			if (seen.count == MAX_THREADS)
				return err_set(e, ERR_SYSTEM,
					       "the branch has started too many threads");
			if (check_thread(now.ids[i], place, e))
				return -1;
			seen.ids[seen.count++] = now.ids[i];
			found = true;
		}
	}
	return 0;
}

static uint32_t pid_inside(pid_t pid)
{
	char path[64];
	char status[8192];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	return io_peek(AT_FDCWD, path, status, sizeof(status)) ? 0 : inside(status, "\nNSpid:");
}

/* The process that forked it, outside of the pid namespace, ends by and by. */
static int await_one(const struct branch_place *place, int group, pid_t *out, struct err *e)
{
	struct threads processes;

	for (int looks = 0;; looks++) {
		if (list(group, "cgroup.procs", place->init, &processes, e))
			return -1;
		if (processes.count == 1)
			break;
		if (looks == MAX_LOOKS || !processes.count)
			return err_set(e, ERR_SYSTEM, "the branch holds %u processes, not one",
				       processes.count);
		poll(NULL, 0, 1);
	}
	*out = processes.ids[0];
	return 0;
}

int branch_check(const struct branch_place *place, int group, uint32_t *inside_pid, struct err *e)
{
	pid_t first;
	pid_t last;

	if (await_one(place, group, &first, e) ||
	    (!host_omits("branch-check") && check_threads(place, group, e)) ||
	    await_one(place, group, &last, e))
		return -1;
	if (first != last)
		return err_set(e, ERR_SYSTEM, "the branch has become another process");
	*inside_pid = pid_inside(first);
	return *inside_pid ? 0 : err_set(e, ERR_SYSTEM, "the branch has ended");
}
