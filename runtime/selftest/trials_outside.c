/*
 * trials_outside - check what is visible of a sandbox from outside, while its program waits.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup.h"
#include "fs/names.h"
#include "loop/clock.h"
#include "selftest/groups.h"
#include "selftest/trials.h"
#include "selftest/waiting.h"

#define LOCKED_MS 3000 /* pid 1 confines itself while the program starts */

static void trials_outside_look_at_rights(struct selftest *t, pid_t pid, const char *const names[3],
					  const char *who, unsigned filters)
{
	static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};
	char value[64];
	char what[64];

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		waiting_field(pid, sets[i], value);
		snprintf(what, sizeof(what), "%s of %s, from outside", sets[i], who);
		selftest_note(t, names[0], what, !strcmp(value, "0000000000000000"), "%s", value);
	}
	waiting_field(pid, "NoNewPrivs", value);
	snprintf(what, sizeof(what), "no_new_privs of %s, from outside", who);
	selftest_note(t, names[1], what, !strcmp(value, "1"), "%s", value);
	waiting_field(pid, "Seccomp", value);
	snprintf(what, sizeof(what), "the filter of %s, from outside", who);
	selftest_note(t, names[2], what, !strcmp(value, "2"), "%s", value);
	waiting_field(pid, "Seccomp_filters", value); /* Linux 5.9 */
	snprintf(what, sizeof(what), "filters of %s, from outside", who);
	if (*value)
		selftest_note(t, names[2], what, strtoul(value, NULL, 10) >= filters, "%s of %u",
			      value, filters);
}

/* The filter is its last step, taken while the program starts: wait for it. */
static void trials_outside_await_lock(pid_t init, unsigned filters)
{
	uint64_t end = monotonic_ms() + LOCKED_MS;
	char value[64] = "";

	while (strtoul(value, NULL, 10) < filters && monotonic_ms() < end) {
		waiting_field(init, "Seccomp_filters", value);
		if (!*value)
			waiting_field(init, "Seccomp", value); /* 2 is a filter */
		clock_pause_us(1000);
	}
}

static void trials_outside_look_at_descriptors(struct selftest *t, pid_t init)
{
	char path[64];
	char link[128];
	unsigned count = 0;
	auto_list struct list names = {0};
	auto_fd int dir = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)init);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || names_read(dir, SIZE_MAX, &names) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		ssize_t n = readlinkat(dir, names.items[i], link, sizeof(link) - 1);

		link[n > 0 ? n : 0] = '\0';
		count += n > 0 && !strstr(link, "signalfd");
	}
	selftest_note(t, "init-close-fds", "descriptors that are open, but for its own", count == 1,
		      "%u", count);
}

/* A process that is not dumpable belongs to root, whichever user runs it (proc(5)). */
static void trials_outside_look_at_owner(struct selftest *t, pid_t init)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)init);
	if (!stat(path, &st))
		selftest_note(t, "init-dumpable", "its files in /proc are not its own",
			      st.st_uid == 0, "owner %u", st.st_uid);
}

static void trials_outside_look_at_group(struct selftest *t, pid_t pid)
{
	char name[128];

	groups_name_of(pid, name);
	if (t->limits)
		selftest_note(t, "cgroup", "the group of the program, from outside", *name, "%.20s",
			      *name ? name : "none of ours");
}

/* Read a number from a file of the group; "" if the file is missing. */
static void trials_outside_read_limit(const char *dir, const char *file, char out[32])
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (io_peek(AT_FDCWD, path, out, 32))
		out[0] = '\0';
}

/*
 * Without swap on the machine only the limit is visible. On v2 it is that of swap alone, on v1 that
 * of memory and swap together.
 */
static void trials_outside_look_at_swap(struct selftest *t, pid_t pid)
{
	const char *file = "memory.swap.max";
	char memory[32] = "0";
	char name[128];
	char dir[PATH_MAX];
	char swap[32];

	groups_name_of(pid, name);
	if (!t->limits || !*name)
		return;
	if (groups_find(name, "memory.limit_in_bytes", dir)) {
		file = "memory.memsw.limit_in_bytes";
		trials_outside_read_limit(dir, "memory.limit_in_bytes", memory);
	} else if (!groups_find(name, "memory.max", dir)) {
		return;
	}
	trials_outside_read_limit(dir, file, swap);
	if (*swap)
		selftest_note(t, "memory", "no swap on top of it, from outside",
			      !strcmp(swap, memory), "%s: %s", file, swap);
	else
		selftest_note(t, "memory", "no swap on top of it, from outside",
			      !cgroup_host_has_swap(), "this kernel does not limit swap, %s",
			      cgroup_host_has_swap() ? "and there is some" : "and there is none");
}

int trial_outside(struct selftest *t, struct caller *c, struct err *e)
{
	static const char *const of_init[] = {"init-caps", "init-no-new-privs", "init-seccomp"};
	static const char *const of_program[] = {"caps", "no-new-privs", "seccomp"};
	const unsigned filters = c->warm ? 2 : 1; /* a cell's filter lies on top of its nursery's */
	struct waiting w;

	if (waiting_start(t, c, "", &w, e))
		return -1;
	trials_outside_await_lock(w.pids[WAITING_INIT], filters);
	trials_outside_look_at_rights(t, w.pids[WAITING_INIT], of_init, "pid 1", filters);
	trials_outside_look_at_rights(t, w.pids[WAITING_PROGRAM], of_program, "the program",
				      filters);
	trials_outside_look_at_descriptors(t, w.pids[WAITING_INIT]);
	trials_outside_look_at_owner(t, w.pids[WAITING_INIT]);
	for (int i = 0; i < WAITING_MEMBERS; i++)
		trials_outside_look_at_group(t, w.pids[i]);
	trials_outside_look_at_swap(t, w.pids[WAITING_PROGRAM]);
	waiting_end(&w);
	return 0;
}
