/*
 * branch_check - whether the code that moved into a branch is confined, as seen from outside.
 */
#include "cell/branch_check.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"

#define MAX_MEMBERS 64   /* more are not looked at: there must be two */
#define MAX_LOOKS   2000 /* 1 ms apart */

struct members {
	pid_t pids[MAX_MEMBERS];
	unsigned count;
};

static int read_members(int group, pid_t init, struct members *out, struct err *e)
{
	int fd = openat(group, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char line[32];

	*out = (struct members){.count = 0};
	if (!file)
		return err_sys(e, "list the processes of a branch");
	while (fgets(line, sizeof(line), file) && out->count < MAX_MEMBERS) {
		pid_t pid = (pid_t)strtol(line, NULL, 10);

		if (pid != init)
			out->pids[out->count++] = pid;
	}
	fclose(file);
	return 0;
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
	return 0;
}

static int check_namespaces(int proc, const struct branch_place *place, struct err *e)
{
	static const char *const names[] = {
		[BRANCH_USER] = "ns/user", [BRANCH_MNT] = "ns/mnt", [BRANCH_NET] = "ns/net",
		[BRANCH_IPC] = "ns/ipc",   [BRANCH_UTS] = "ns/uts", [BRANCH_CGROUP] = "ns/cgroup",
		[BRANCH_PID] = "ns/pid",
	};

	for (int i = 0; i < BRANCH_NAMESPACES; i++) {
		struct stat wanted;
		struct stat found;

		if (fstat(place->namespaces[i], &wanted) || fstatat(proc, names[i], &found, 0))
			return err_sys(e, "look at %s of a branch", names[i]);
		if (wanted.st_ino != found.st_ino || wanted.st_dev != found.st_dev)
			return err_set(e, ERR_SYSTEM, "the branch is not in its own %s", names[i]);
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

static int check_task(const char *path, const struct branch_place *place, struct err *e)
{
	auto_fd int proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (proc < 0)
		return err_set(e, ERR_SYSTEM, "the branch has ended");
	return check_status(proc, place, e) || check_namespaces(proc, place, e) ||
			       check_root(proc, place, e)
		       ? -1
		       : 0;
}

/* Credentials belong to threads. */
static int check_process(pid_t pid, const struct branch_place *place, struct err *e)
{
	char path[64];
	DIR *tasks;
	int bad = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return err_set(e, ERR_SYSTEM, "the branch has ended");
	for (struct dirent *d = readdir(tasks); d && !bad; d = readdir(tasks)) {
		char task[64 + sizeof(d->d_name)];

		snprintf(task, sizeof(task), "%s/%s", path, d->d_name);
		if (d->d_name[0] != '.')
			bad = check_task(task, place, e);
	}
	closedir(tasks);
	return bad;
}

/* The last number of "NSpid:" (proc_pid_status(5)). */
static uint32_t pid_inside(pid_t pid)
{
	char path[64];
	char status[8192];
	const char *line;
	uint32_t inside = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (io_peek(AT_FDCWD, path, status, sizeof(status)))
		return 0;
	line = field(status, "\nNSpid:");
	while (line && *line == '\t') {
		char *end;

		inside = (uint32_t)strtoul(line, &end, 10);
		line = end;
	}
	return inside;
}

int branch_check(const struct branch_place *place, int group, uint32_t *inside, struct err *e)
{
	struct members seen;
	struct members now;

	/* The process that forked it, outside of the pid namespace, ends by and by. */
	for (int looks = 0;; looks++) {
		if (read_members(group, place->init, &seen, e))
			return -1;
		if (seen.count == 1)
			break;
		if (looks == MAX_LOOKS || !seen.count)
			return err_set(e, ERR_SYSTEM, "the branch holds %u processes, not one",
				       seen.count);
		poll(NULL, 0, 1);
	}
	if (check_process(seen.pids[0], place, e) || read_members(group, place->init, &now, e))
		return -1;
	if (now.count != 1 || now.pids[0] != seen.pids[0])
		return err_set(e, ERR_SYSTEM, "the branch has started processes meanwhile");
	*inside = pid_inside(seen.pids[0]);
	return *inside ? 0 : err_set(e, ERR_SYSTEM, "the branch has ended");
}
