/*
 * trials_residue - check that nothing remains when every sandbox has ended.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/names.h"
#include "loop/clock.h"
#include "selftest/groups.h"
#include "selftest/trials.h"
#include "selftest/waiting.h"

#define END_MS      5000 /* killed processes have ended by then */
#define MOUNT_BYTES (16u << 20)

/* The id of a run; false: the run did not write it. */
static bool trials_residue_id(const struct caller *c, unsigned run, char id[96])
{
	char path[128];

	id[0] = '\0';
	snprintf(path, sizeof(path), "%s/id.%u", c->dir, run);
	return !io_peek(AT_FDCWD, path, id, 96) && *id;
}

static unsigned trials_residue_count_groups(const struct caller *c)
{
	char found[PATH_MAX];
	unsigned count = 0;
	char id[96];

	for (unsigned i = 0; i < c->runs; i++)
		count += trials_residue_id(c, i, id) && groups_find(id, NULL, found);
	return count;
}

/*
 * A run's processes have the token in their arguments; a supervisor has its directory in a
 * variable.
 */
static bool trials_residue_is_ours(pid_t pid, const void *context)
{
	const struct caller *c = context;
	auto_buf struct buf words = {0};
	auto_buf struct buf variables = {0};

	waiting_read(pid, "cmdline", &words);
	waiting_read(pid, "environ", &variables);
	return pid != getpid() &&
	       ((words.length && memmem(words.data, words.length, c->token, strlen(c->token))) ||
		(variables.length &&
		 memmem(variables.data, variables.length, c->run_dir, strlen(c->run_dir))));
}

static unsigned trials_residue_count_processes(const struct caller *c)
{
	return (unsigned)waiting_find(trials_residue_is_ours, c, NULL, 0);
}

/* A sandbox's mounts have its id, the directory of this selftest, or its probe in their rows. */
static unsigned trials_residue_count_mounts(const struct caller *c)
{
	auto_buf struct buf table = {0};
	struct err ignored;
	unsigned count;
	char id[96];

	(void)io_read_file(AT_FDCWD, "/proc/self/mountinfo", MOUNT_BYTES, &table, &ignored);
	count = strstr(buf_string(&table), c->dir) != NULL;
	count += strstr(buf_string(&table), c->probe) != NULL;
	for (unsigned i = 0; i < c->runs; i++)
		count += trials_residue_id(c, i, id) && strstr(buf_string(&table), id);
	return count;
}

/* The runtime directory keeps a lock file, which no process may still lock, and an empty registry.
 */
static void trials_residue_look_at_directory(struct selftest *t, const struct caller *c)
{
	char path[160];
	unsigned files = 0;
	unsigned locks = 0;
	auto_list struct list names = {0};
	auto_list struct list running = {0};
	auto_fd int dir = -1;
	auto_fd int registry = -1;

	snprintf(path, sizeof(path), "%s/glovebox", c->run_dir);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	registry = openat(dir, "running", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		(void)names_read(dir, SIZE_MAX, &names);
	if (registry >= 0)
		(void)names_read(registry, SIZE_MAX, &running);
	files = (unsigned)running.count;
	for (size_t i = 0; i < names.count; i++) {
		auto_fd int fd =
			openat(dir, names.items[i], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

		if (names.items[i][0] == '.')
			continue;
		files += strcmp(names.items[i], "lock") && strcmp(names.items[i], "running");
		locks += fd >= 0 && flock(fd, LOCK_EX | LOCK_NB);
	}
	selftest_note(t, "residue", "files that are left in the runtime directory", files == 0,
		      "%u", files);
	selftest_note(t, "residue", "locks that are left in the runtime directory", locks == 0,
		      "%u", locks);
}

/* Run once more, which also sweeps the group of a killed glovebox. */
static int trials_residue_run(struct selftest *t, struct caller *c, struct err *e)
{
	struct caller_run r;
	int status;

	if (trial_start(t, c, "", "mode=output kib=0", &r, e))
		return -1;
	status = caller_wait(&r, TRIAL_MS);
	if (status)
		trial_failed(&r, status, e);
	caller_end(&r);
	return status ? -1 : 0;
}

/* Start and stop a supervisor, unless warm starts are not promised. */
static void trials_residue_run_warm(struct selftest *t, struct caller *c)
{
	bool makes_none;
	struct err ignored;

	if (!caller_warm_start(c, t->image, &makes_none, &ignored))
		(void)trials_residue_run(t, c, &ignored);
	caller_warm_stop(c);
}

int trial_residue(struct selftest *t, struct caller *c, struct err *e)
{
	uint64_t end = monotonic_ms() + END_MS;
	unsigned processes;
	unsigned groups;

	if (t->only)
		trials_residue_run_warm(t, c); /* otherwise trial_warm() has done so */
	if (trials_residue_run(t, c, e))
		return -1;
	while ((processes = trials_residue_count_processes(c)) && monotonic_ms() < end)
		clock_pause_us(10000);
	while ((groups = trials_residue_count_groups(c)) && monotonic_ms() < end)
		clock_pause_us(10000);
	selftest_note(t, "residue", "processes that are left", processes == 0, "%u", processes);
	selftest_note(t, "residue", "control groups that are left", groups == 0, "%u", groups);
	selftest_note(t, "residue", "mounts that are left", !trials_residue_count_mounts(c), "%u",
		      trials_residue_count_mounts(c));
	trials_residue_look_at_directory(t, c);
	return 0;
}
