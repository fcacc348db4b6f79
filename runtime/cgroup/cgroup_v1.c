/*
 * cgroup_v1 - the memory, pids and cpu controllers of hybrid hosts.
 *
 * One directory per controller. The child joins by itself: it writes "0" to each `tasks` file
 * (inside/cgroup.c says why that is fast).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup.h"
#include "cgroup/cgroup_given.h"
#include "cgroup/cgroup_update.h"
#include "cgroup/cgroup_v1_freezer.h"
#include "cgroup/socket_memory.h"
#include "host/omit.h"

/* dirs[] and parents[] have the order of the controllers, without those not needed. */

/* A controller's index in dirs[]: the number of needed ones before it. -1: not needed. */
static int cgroup_v1_slot(const struct cgroup *c, const char *file)
{
	for (unsigned i = 0; i < c->ref.count; i++) {
		if (!faccessat(c->ref.dirs[i], file, F_OK, 0))
			return (int)i;
	}
	return -1;
}

/* An ordinary user never creates what root gives: the maker of a group owns its limits. */
static bool cgroup_v1_is_ours_to_make(enum cgroup_controller controller)
{
	const char *named = getenv("GLOVEBOX_CGROUP");

	return geteuid() == 0 || (named && *named) || cgroup_given_is_all_ours(controller);
}

/* Returns an owned descriptor, or -1 with *e: the machine lacks the controller. */
static int cgroup_v1_open_mount(enum cgroup_controller controller, struct err *e)
{
	char mount[64];
	auto_fd int root = -1;
	struct statfs fs;

	snprintf(mount, sizeof(mount), "/sys/fs/cgroup/%s", cgroup_controllers[controller]);
	root = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || fstatfs(root, &fs) || fs.f_type != CGROUP_SUPER_MAGIC)
		return err_set(
			e, ERR_UNSUPPORTED,
			"limits need the %s cgroup controller, which is not mounted here: \"mount "
			"-t cgroup2 none /sys/fs/cgroup\" as root, or \"mount -t cgroup -o %s "
			"none %s\" beside others of its kind",
			cgroup_controllers[controller], cgroup_controllers[controller], mount);
	return take_fd(&root);
}

/* 0; 1: we may not use any group; -1: *e. */
static int cgroup_v1_open_parent(enum cgroup_controller controller, struct cgroup *c, struct err *e)
{
	char parent[256];
	auto_fd int root = cgroup_v1_open_mount(controller, e);
	auto_fd int fd = -1;
	bool made;

	if (root < 0)
		return -1;
	cgroup_given_parent(controller, parent, sizeof(parent));
	made = cgroup_v1_is_ours_to_make(controller) && !mkdirat(root, parent, 0711);
	fd = openat(root, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS))
		return 1;
	if (made && controller == CGROUP_MEMORY)
		socket_memory_count(fd);
	if (controller == CGROUP_CPUSET && cgroup_fill_cpuset(fd, root, e))
		return -1;
	c->parents[c->ref.count++] = take_fd(&fd);
	return 0;
}

/* Name all missing controllers at once: one command gives them. */
static int cgroup_v1_find_parents(const struct limits *limits, struct cgroup *c, struct err *e)
{
	unsigned lacking = 0;

	for (enum cgroup_controller i = CGROUP_MEMORY; i < CGROUP_CONTROLLERS; i++) {
		int missing = cgroup_needs(limits, i) ? cgroup_v1_open_parent(i, c, e) : 0;

		if (missing < 0)
			return -1;
		lacking |= (unsigned)missing << i;
	}
	return lacking ? cgroup_not_given(lacking, e) : 0;
}

/*
 * v1 has no memory.oom.group: the kernel kills one process and the rest continues. So the kernel
 * notifies us, and we end the whole sandbox, as v2 does
 * (Documentation/admin-guide/cgroup-v1/memory.rst, "OOM Control").
 */
static int cgroup_v1_watch_oom(int dir, struct cgroup *c, struct err *e)
{
	auto_fd int control = openat(dir, "memory.oom_control", O_RDONLY | O_CLOEXEC);
	char registration[32];

	c->oom_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (control < 0 || c->oom_fd < 0)
		return err_sys(e, "watch memory.oom_control");
	snprintf(registration, sizeof(registration), "%d %d", c->oom_fd, control);
	return cgroup_put(dir, "cgroup.event_control", registration, e);
}

#define MEMORY_MAX "memory.limit_in_bytes"
#define MEMSW_MAX  "memory.memsw.limit_in_bytes"
#define CPU_PERIOD "cpu.cfs_period_us"
#define CPU_QUOTA  "cpu.cfs_quota_us"
#define NO_LIMIT   "-1"

/*
 * An adopted group's limit of memory and swap together may be below the new memory limit: raise it
 * first.
 */
static int cgroup_v1_put_memory(int dir, uint64_t bytes, struct err *e)
{
	if (!cgroup_put_number(dir, MEMORY_MAX, bytes, e))
		return 0;
	if (e->number != EINVAL || io_put(dir, MEMSW_MAX, NO_LIMIT))
		return -1;
	return cgroup_put_number(dir, MEMORY_MAX, bytes, e);
}

static int cgroup_v1_no_swap_limit(struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED,
		       "swap cannot be limited: boot with swapaccount=1, swapoff, or allow it with "
		       "--memory-swap -1");
}

static int cgroup_v1_set_memory(const struct limits *l, int dir, struct cgroup *c, struct err *e)
{
	uint64_t total;

	if (l->memory_bytes == SPEC_UNLIMITED)
		return 0;
	if (cgroup_v1_put_memory(dir, l->memory_bytes, e) ||
	    socket_memory_limit(dir, l->memory_bytes, e) || cgroup_v1_watch_oom(dir, c, e))
		return -1;
	if (l->swap_bytes == SPEC_UNLIMITED) {
		(void)io_put(dir, MEMSW_MAX, NO_LIMIT); /* absent without swap accounting */
		return 0;
	}
	if (host_omits("swap"))
		return 0;
	total = l->memory_bytes + l->swap_bytes;
	if (faccessat(dir, MEMSW_MAX, F_OK, 0)) {
		if (!cgroup_host_has_swap())
			return 0;
		return cgroup_v1_no_swap_limit(e);
	}
	return cgroup_put_number(dir, MEMSW_MAX, total, e);
}

static int cgroup_v1_set_limits(const struct limits *l, struct cgroup *c, struct err *e)
{
	unsigned i = 0;

	if (cgroup_v1_set_memory(l, c->ref.dirs[i++], c, e))
		return -1;
	if (cgroup_needs(l, CGROUP_PIDS) &&
	    cgroup_put_number(c->ref.dirs[i++], "pids.max", l->pids, e))
		return -1;
	if (cgroup_needs(l, CGROUP_CPU)) {
		if (cgroup_put_number(c->ref.dirs[i], CPU_PERIOD, l->cpu_period_us, e) ||
		    cgroup_put_number(c->ref.dirs[i], CPU_QUOTA, l->cpu_quota_us, e))
			return -1;
		i++;
	}
	i += cgroup_needs(l, CGROUP_CPUACCT);
	if (cgroup_needs(l, CGROUP_CPUSET)) {
		if (cgroup_fill_cpuset(c->ref.dirs[i], c->parents[i], e) ||
		    cgroup_put_cpuset(c->ref.dirs[i], l->cpuset, c->parents[i], "cpuset.cpus", e))
			return -1;
	}
	for (i = 0; i < c->ref.count; i++) {
		c->tasks[i] = openat(c->ref.dirs[i], "tasks", O_WRONLY | O_CLOEXEC);
		if (c->tasks[i] < 0)
			return err_sys(e, "open tasks of cgroup %s", c->ref.name);
		c->task_count = i + 1;
	}
	return 0;
}

/* The directory that has this file; -1: none has. */
static int cgroup_v1_find(const struct cgroup *c, const char *file)
{
	const int slot = cgroup_v1_slot(c, file);

	return slot < 0 ? -1 : c->ref.dirs[slot];
}

static int cgroup_v1_change_swap(const struct limits *next, int dir, struct cgroup_changes *out,
				 struct err *e)
{
	const bool lifted =
		next->swap_bytes == SPEC_UNLIMITED || next->memory_bytes == SPEC_UNLIMITED;

	if (faccessat(dir, MEMSW_MAX, F_OK, 0))
		return lifted || !cgroup_host_has_swap() ? 0 : cgroup_v1_no_swap_limit(e);
	cgroup_change_number(out, dir, MEMSW_MAX, "--memory-swap",
			     lifted ? SPEC_UNLIMITED : next->memory_bytes + next->swap_bytes,
			     NO_LIMIT);
	return 0;
}

/* The limit of memory is never above that of memory and swap together. */
static int cgroup_v1_change_memory(const struct cgroup *c, const struct limits *now,
				   const struct limits *next, struct cgroup_changes *out,
				   struct err *e)
{
	/* Without the watch of the first start it would not end as a whole. */
	const int dir = c->oom_fd < 0 ? -1 : c->ref.dirs[0];
	const bool raise = next->memory_bytes > now->memory_bytes;
	const uint64_t sockets = next->memory_bytes == SPEC_UNLIMITED
					 ? SPEC_UNLIMITED
					 : socket_memory_bytes(next->memory_bytes);

	if (dir >= 0 && raise && cgroup_v1_change_swap(next, dir, out, e))
		return -1;
	cgroup_change_number(out, dir, MEMORY_MAX, "--memory", next->memory_bytes, NO_LIMIT);
	cgroup_change_number(out, dir, SOCKET_MEMORY_MAX, "--memory", sockets, NO_LIMIT);
	return dir >= 0 && !raise ? cgroup_v1_change_swap(next, dir, out, e) : 0;
}

/* A quota is not above its group's for a moment: it goes first, and comes last. */
static void cgroup_v1_change_cpu(const struct cgroup *c, const struct limits *next,
				 struct cgroup_changes *out)
{
	const int dir = cgroup_v1_find(c, CPU_QUOTA);

	cgroup_change_add(out, dir, CPU_QUOTA, "--cpus", NO_LIMIT);
	cgroup_change_number(out, dir, CPU_PERIOD, "--cpus", next->cpu_period_us, NO_LIMIT);
	if (next->cpu_quota_us != SPEC_UNLIMITED)
		cgroup_change_number(out, dir, CPU_QUOTA, "--cpus", next->cpu_quota_us, NO_LIMIT);
}

static int cgroup_v1_list_changes(const struct cgroup *c, const struct limits *now,
				  const struct limits *next, struct cgroup_changes *out,
				  struct err *e)
{
	if ((now->memory_bytes != next->memory_bytes || now->swap_bytes != next->swap_bytes) &&
	    cgroup_v1_change_memory(c, now, next, out, e))
		return -1;
	if (now->pids != next->pids)
		cgroup_change_number(out, cgroup_v1_find(c, "pids.max"), "pids.max", "--pids-limit",
				     next->pids, "max");
	if (now->cpu_quota_us != next->cpu_quota_us || now->cpu_period_us != next->cpu_period_us)
		cgroup_v1_change_cpu(c, next, out);
	return 0;
}

/*
 * The group may have had other controllers than this run needs. Remove memory's directory last, and
 * only once the others are gone: sweeps look there.
 */
static void cgroup_v1_remove_stale(const struct cgroup *c, const char *name)
{
	char parent[256];
	char path[512];

	(void)c;
	cgroup_given_parent(CGROUP_MEMORY, parent, sizeof(parent));
	snprintf(path, sizeof(path), "%s/%s", parent, name);
	if (!cgroup_v1_remove_freezers_at(path))
		return;
	for (int i = CGROUP_CONTROLLERS - 1; i >= CGROUP_MEMORY; i--) {
		auto_fd int above = -1;

		cgroup_given_parent((enum cgroup_controller)i, parent, sizeof(parent));
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/%s", cgroup_controllers[i], parent);
		above = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (above >= 0 && cgroup_unlink(above, name) && errno == EBUSY)
			return;
	}
}

/* Killing and freezing act on the processes listed in a directory, not on those below it. */
static int cgroup_v1_make_inner(struct cgroup *c, struct err *e)
{
	(void)c;
	(void)e;
	return 0;
}

static void cgroup_v1_set_weight(const struct cgroup *c, unsigned live)
{
	char value[24];

	snprintf(value, sizeof(value), "%u", 1024 * (live < 256 ? live : 256));
	for (unsigned i = 0; i < c->ref.count; i++)
		(void)io_put(c->parents[i], "cpu.shares",
			     value); /* only one of the two has this file */
}

static void cgroup_v1_read_usage(const struct cgroup *c, struct cgroup_usage *out)
{
	int pids = cgroup_v1_slot(c, "pids.events");
	int cpuacct = cgroup_v1_slot(c, "cpuacct.usage");

	out->memory_peak_bytes = cgroup_number(c->ref.dirs[0], "memory.max_usage_in_bytes", NULL);
	out->oom_kills = cgroup_number(c->ref.dirs[0], "memory.oom_control", "oom_kill");
	if (pids >= 0)
		out->pids_refused = cgroup_number(c->ref.dirs[pids], "pids.events", "max");
	if (cpuacct >= 0)
		out->cpu_us = cgroup_number(c->ref.dirs[cpuacct], "cpuacct.usage", NULL) / 1000;
}

/*
 * memory.memsw limits the sum of both, so the sandbox may always use swap: there is nothing to
 * lift.
 */
static void cgroup_v1_swap_out(const struct cgroup *c)
{
	io_put(c->ref.dirs[0], "memory.force_empty", "0");
}

static int cgroup_v1_limit_swap(const struct cgroup *c, struct err *e)
{
	(void)c;
	(void)e;
	return 0;
}

const struct cgroup_layout cgroup_v1 = {
	.name = "cgroup v1 (hybrid)",
	.find_parents = cgroup_v1_find_parents,
	.make_inner = cgroup_v1_make_inner,
	.set_limits = cgroup_v1_set_limits,
	.list_changes = cgroup_v1_list_changes,
	.remove_stale = cgroup_v1_remove_stale,
	.set_weight = cgroup_v1_set_weight,
	.read_usage = cgroup_v1_read_usage,
	.open_freezer = cgroup_v1_open_freezer,
	.remove_freezers = cgroup_v1_remove_freezers,
	.open_freezers = cgroup_v1_open_freezers,
	.swap_out = cgroup_v1_swap_out,
	.limit_swap = cgroup_v1_limit_swap,
	.resident_file = "memory.usage_in_bytes",
	.swapped_file = "memory.stat",
	.swapped_key = "swap",
};
