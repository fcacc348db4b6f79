/*
 * cgroup_v1 - the memory, pids and cpu controllers of hybrid hosts.
 *
 * One directory per controller. The child joins by writing "0" to each
 * `tasks` file itself (see inside/cgroup.c for why that is fast).
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
#include "host/cgroup.h"
#include "host/socket_memory.h"

/* dirs[] and parents[] are filled in this order; those that are not needed are left out. */
enum controller { MEMORY, PIDS, CPU, CPUACCT, CPUSET, CONTROLLERS };

static const char *const names[CONTROLLERS] = {"memory", "pids", "cpu", "cpuacct", "cpuset"};

static bool needed(const struct limits *l, enum controller controller)
{
	switch (controller) {
	case MEMORY:
		return true; /* the peak is reported even where nothing is limited */
	case PIDS:
		return l->pids != SPEC_UNLIMITED;
	case CPU:
		return l->cpu_quota_us != SPEC_UNLIMITED;
	case CPUACCT:
		return l->cpu_time_ms != SPEC_UNLIMITED;
	case CPUSET:
		return l->cpuset;
	case CONTROLLERS:
		break;
	}
	return false;
}

/* Which slot of dirs[] a controller has: those before it that are needed. -1: it is not. */
static int slot(const struct cgroup *c, const char *file)
{
	for (unsigned i = 0; i < c->count; i++) {
		if (!faccessat(c->dirs[i], file, F_OK, 0))
			return (int)i;
	}
	return -1;
}

static void parent_name(char *out, size_t size)
{
	const char *named = getenv("GLOVEBOX_CGROUP");

	if (named && *named)
		snprintf(out, size, "%s", named[0] == '/' ? named + 1 : named);
	else if (geteuid() == 0)
		snprintf(out, size, "glovebox");
	else
		snprintf(out, size, "glovebox-%u", geteuid());
}

/* A cpuset without processors and memory nodes holds no task: children start with the parent's. */
static int fill_cpuset(int dir_fd, int from_fd, struct err *e)
{
	static const char *const files[] = {"cpuset.cpus", "cpuset.mems"};
	char value[1024];

	for (int i = 0; i < 2; i++) {
		if (!io_peek(dir_fd, files[i], value, sizeof(value)) && *value)
			continue;
		if (io_peek(from_fd, files[i], value, sizeof(value)))
			return err_sys(e, "read %s", files[i]);
		if (cgroup_put(dir_fd, files[i], value, e))
			return -1;
	}
	return 0;
}

static int open_parent(enum controller controller, struct cgroup *c, struct err *e)
{
	char mount[64];
	char parent[256];
	auto_fd int root = -1;
	auto_fd int fd = -1;
	bool made;
	struct statfs fs;

	snprintf(mount, sizeof(mount), "/sys/fs/cgroup/%s", names[controller]);
	parent_name(parent, sizeof(parent));
	root = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || fstatfs(root, &fs) || fs.f_type != CGROUP_SUPER_MAGIC)
		return err_set(
			e, ERR_UNSUPPORTED,
			"the %s limit needs the %s cgroup controller, which is not mounted at "
			"%s (\"glovebox doctor\" says more)",
			names[controller], names[controller], mount);
	made = !mkdirat(root, parent, 0711);
	if (!made && errno != EEXIST)
		return err_set(
			e, ERR_UNSUPPORTED,
			"limits need a cgroup of your own; once, as root: mkdir %s/%s && chown -R "
			"%u %s/%s (and so for each controller)",
			mount, parent, geteuid(), mount, parent);
	fd = openat(root, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "open cgroup %s/%s", mount, parent);
	if (made && controller == MEMORY)
		socket_memory_count(fd);
	if (controller == CPUSET && fill_cpuset(fd, root, e))
		return -1;
	c->parents[c->count++] = take_fd(&fd);
	return 0;
}

static int find_parents(const struct limits *limits, struct cgroup *c, struct err *e)
{
	for (enum controller i = MEMORY; i < CONTROLLERS; i++) {
		if (needed(limits, i) && open_parent(i, c, e))
			return -1;
	}
	return 0;
}

/*
 * v1 has no memory.oom.group: the kernel kills one process and the rest goes
 * on. So we are told when it happens and end the sandbox as a whole, as v2 does
 * (Documentation/admin-guide/cgroup-v1/memory.rst, "OOM Control").
 */
static int watch_oom(int dir, struct cgroup *c, struct err *e)
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
#define NO_LIMIT   "-1"

/* An adopted group may have had less of both together than this asks for of one. */
static int put_memory(int dir, uint64_t bytes, struct err *e)
{
	if (!cgroup_put_number(dir, MEMORY_MAX, bytes, e))
		return 0;
	if (e->number != EINVAL || io_put(dir, MEMSW_MAX, NO_LIMIT))
		return -1;
	return cgroup_put_number(dir, MEMORY_MAX, bytes, e);
}

static int set_memory(const struct limits *l, int dir, struct cgroup *c, struct err *e)
{
	uint64_t total;

	if (l->memory_bytes == SPEC_UNLIMITED)
		return 0;
	if (put_memory(dir, l->memory_bytes, e) || socket_memory_limit(dir, l->memory_bytes, e) ||
	    watch_oom(dir, c, e))
		return -1;
	if (l->swap_bytes == SPEC_UNLIMITED) {
		(void)io_put(dir, MEMSW_MAX, NO_LIMIT); /* absent without swap accounting */
		return 0;
	}
	total = l->memory_bytes + l->swap_bytes;
	if (faccessat(dir, MEMSW_MAX, F_OK, 0)) {
		if (!cgroup_host_has_swap())
			return 0;
		return err_set(e, ERR_UNSUPPORTED,
			       "swap cannot be limited: boot with swapaccount=1, "
			       "swapoff, or allow it with --memory-swap -1");
	}
	return cgroup_put_number(dir, MEMSW_MAX, total, e);
}

static int set_limits(const struct limits *l, struct cgroup *c, struct err *e)
{
	unsigned i = 0;

	if (set_memory(l, c->dirs[i++], c, e))
		return -1;
	if (needed(l, PIDS) && cgroup_put_number(c->dirs[i++], "pids.max", l->pids, e))
		return -1;
	if (needed(l, CPU)) {
		if (cgroup_put_number(c->dirs[i], "cpu.cfs_period_us", l->cpu_period_us, e) ||
		    cgroup_put_number(c->dirs[i], "cpu.cfs_quota_us", l->cpu_quota_us, e))
			return -1;
		i++;
	}
	i += needed(l, CPUACCT);
	if (needed(l, CPUSET)) {
		if (fill_cpuset(c->dirs[i], c->parents[i], e) ||
		    cgroup_put(c->dirs[i], "cpuset.cpus", l->cpuset, e))
			return -1;
	}
	for (i = 0; i < c->count; i++) {
		c->tasks[i] = openat(c->dirs[i], "tasks", O_WRONLY | O_CLOEXEC);
		if (c->tasks[i] < 0)
			return err_sys(e, "open tasks of cgroup %s", c->name);
	}
	return 0;
}

/*
 * The hierarchies that can freeze, the better one first: what cgroup2 has frozen can be
 * killed. Moving a process there takes rights over the common ancestor, though (cgroups(7),
 * "delegation containment"): it is for root only.
 */
static const struct cgroup_freezer freezers[] = {
	{"/sys/fs/cgroup/unified", "cgroup.freeze", "1",      "0",      "cgroup.events", "frozen 1"},
	{"/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED", "freezer.state", "FROZEN"  },
};
#define FREEZERS (sizeof(freezers) / sizeof(freezers[0]))

/* The processes of a supervisor that was killed while they were frozen die when they are thawed. */
static void remove_stale_freezer(const struct cgroup_freezer *how, const char *parent,
				 const char *name)
{
	char path[512];
	auto_fd int dir = -1;

	snprintf(path, sizeof(path), "%s/%s/%s", how->mount, parent, name);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	io_put(dir, how->file, how->thaw);
	cgroup_rmdir(AT_FDCWD, path);
}

/* It may have had other controllers than this run needs. Memory, which is looked at, goes last. */
static void remove_stale(const struct cgroup *c, const char *name)
{
	char parent[256];
	char path[512];

	(void)c;
	parent_name(parent, sizeof(parent));
	for (unsigned i = 0; i < FREEZERS; i++)
		remove_stale_freezer(&freezers[i], parent, name);
	for (int i = CONTROLLERS - 1; i >= MEMORY; i--) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/%s/%s", names[i], parent, name);
		rmdir(path);
	}
}

static void set_weight(const struct cgroup *c, unsigned live)
{
	char value[24];

	snprintf(value, sizeof(value), "%u", 1024 * (live < 256 ? live : 256));
	for (unsigned i = 0; i < c->count; i++)
		(void)io_put(c->parents[i], "cpu.shares", value); /* in one of them */
}

static void read_usage(const struct cgroup *c, struct cgroup_usage *out)
{
	int pids = slot(c, "pids.events");
	int cpuacct = slot(c, "cpuacct.usage");

	out->memory_peak_bytes = cgroup_number(c->dirs[0], "memory.max_usage_in_bytes", NULL);
	out->oom_kills = cgroup_number(c->dirs[0], "memory.oom_control", "oom_kill");
	if (pids >= 0)
		out->pids_refused = cgroup_number(c->dirs[pids], "pids.events", "max");
	if (cpuacct >= 0)
		out->cpu_us = cgroup_number(c->dirs[cpuacct], "cpuacct.usage", NULL) / 1000;
}

/* "glovebox/sandbox-1": the group's path in every hierarchy, whoever it was that named it. */
static int path_below_mount(const struct cgroup *c, char *out, size_t size, struct err *e)
{
	static const char mount[] = "/sys/fs/cgroup/memory/";
	char fd[64];
	char path[512];
	ssize_t n;

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", c->dirs[0]);
	n = readlink(fd, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	if (strncmp(path, mount, strlen(mount)) != 0)
		return err_set(e, ERR_SYSTEM, "cgroup %s is not below %s", c->name, mount);
	snprintf(out, size, "%s", path + strlen(mount));
	return 0;
}

/* Its root, or -1: where nothing is mounted there may be a directory still. */
static int open_hierarchy(const struct cgroup_freezer *how)
{
	auto_fd int root = open(how->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (root < 0 || fstatfs(root, &fs) ||
	    (fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC))
		return -1;
	return take_fd(&root);
}

/* With its parents. @path  changed on the way, and restored. */
static int make_freezer(int root, char *path)
{
	for (char *slash = path; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdirat(root, path, 0755);
	}
	return mkdirat(root, path, 0755) && errno != EEXIST ? -1 : 0;
}

static int no_freezer(const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	int parent = slash ? (int)(slash - path) : 0;

	if (geteuid() == 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "freezing needs a cgroup freezer; once, as root: mkdir -p %s && "
			       "mount -t cgroup2 none %s",
			       freezers[0].mount, freezers[0].mount);
	return err_set(e, ERR_UNSUPPORTED,
		       "freezing needs a cgroup of your own; once, as root: mkdir %s/%.*s && chown "
		       "-R %u %s/%.*s",
		       freezers[1].mount, parent, path, geteuid(), freezers[1].mount, parent, path);
}

static int open_freezer(const struct cgroup *c, bool make, const struct cgroup_freezer **how,
			struct err *e)
{
	char path[512];

	if (path_below_mount(c, path, sizeof(path), e))
		return -1;
	for (unsigned i = geteuid() == 0 ? 0 : 1; i < FREEZERS; i++) {
		auto_fd int root = open_hierarchy(&freezers[i]);
		auto_fd int fd = -1;

		if (root < 0 || (make && make_freezer(root, path)))
			continue;
		fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		*how = &freezers[i];
		if (fd >= 0)
			return take_fd(&fd);
	}
	return make ? no_freezer(path, e) : -1;
}

/* memory.memsw bounds the sum of both, so this may always use swap. */
static void swap_out(const struct cgroup *c)
{
	io_put(c->dirs[0], "memory.force_empty", "0");
}

const struct cgroup_layout cgroup_v1 = {
	"cgroup v1 (hybrid)", find_parents, set_limits,
	remove_stale,         set_weight,   read_usage,
	open_freezer,         swap_out,     "memory.usage_in_bytes",
	"memory.stat",        "swap",
};
