/*
 * cgroup_v2 - the unified hierarchy.
 *
 * The sandbox is born inside its group (clone3, CLONE_INTO_CGROUP), so nothing
 * ever waits for a migration. memory.oom.group makes the out-of-memory killer
 * end the sandbox as a whole.
 */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "host/cgroup.h"

#define MOUNT    "/sys/fs/cgroup"
#define SWAP_MAX "memory.swap.max"

/*
 * A process of ours must leave the delegated group before that group may have children with
 * controllers.
 */
#define SUPERVISOR_LEAF "glovebox-supervisor"

static bool cgroup_v2_has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += length) {
		if ((p == list || p[-1] == ' ') && (!p[length] || p[length] == ' '))
			return true;
	}
	return false;
}

/* The first controller that `limits` needs and `list` lacks; NULL when all are there. */
static const char *cgroup_v2_lacking(const char *list, const struct limits *l)
{
	if (!cgroup_v2_has_word(list, "memory"))
		return "memory";
	if (l->pids != SPEC_UNLIMITED && !cgroup_v2_has_word(list, "pids"))
		return "pids";
	if (l->cpu_quota_us != SPEC_UNLIMITED && !cgroup_v2_has_word(list, "cpu"))
		return "cpu";
	if (l->cpuset && !cgroup_v2_has_word(list, "cpuset"))
		return "cpuset";
	return NULL;
}

static bool cgroup_v2_is_ready(int fd, const struct limits *l)
{
	char list[256];

	return !io_peek(fd, "cgroup.subtree_control", list, sizeof(list)) &&
	       !cgroup_v2_lacking(list, l);
}

/* Enable the controllers for children of `fd`. */
static int cgroup_v2_enable(int fd, const struct limits *l, struct err *e)
{
	char available[256];
	const char *missing;

	if (cgroup_v2_is_ready(fd, l))
		return 0;
	if (io_peek(fd, "cgroup.controllers", available, sizeof(available)))
		return err_sys(e, "read cgroup.controllers");
	missing = cgroup_v2_lacking(available, l);
	if (missing)
		return err_set(
			e, ERR_UNSUPPORTED,
			"the %s limit needs the %s cgroup controller, which is not available here "
			"(\"glovebox doctor\" says more)",
			missing, missing);
	if (io_put(fd, "cgroup.subtree_control", "+memory") ||
	    (l->pids != SPEC_UNLIMITED && io_put(fd, "cgroup.subtree_control", "+pids")) ||
	    (l->cpu_quota_us != SPEC_UNLIMITED && io_put(fd, "cgroup.subtree_control", "+cpu")) ||
	    (l->cpuset && io_put(fd, "cgroup.subtree_control", "+cpuset")))
		return err_sys(e, "enable controllers in cgroup.subtree_control");
	return 0;
}

static int cgroup_v2_open_dir(int at, const char *path)
{
	return openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int cgroup_v2_make_parent(const char *name, const struct limits *l, struct cgroup *c,
				 struct err *e)
{
	auto_fd int root = cgroup_v2_open_dir(AT_FDCWD, MOUNT);
	auto_fd int fd = cgroup_v2_open_dir(root, name);

	if (fd >= 0 && cgroup_v2_is_ready(fd, l)) {
		c->parents[c->count++] = take_fd(&fd);
		return 0;
	}
	if (root < 0)
		return err_sys(e, "open " MOUNT);
	if (cgroup_v2_enable(root, l, e))
		return -1;
	if (fd < 0 && mkdirat(root, name, 0711) && errno != EEXIST)
		return err_sys(e, "create cgroup %s", name);
	if (fd < 0)
		fd = cgroup_v2_open_dir(root, name);
	if (fd < 0)
		return err_sys(e, "open cgroup %s", name);
	if (cgroup_v2_enable(fd, l, e))
		return -1;
	c->parents[c->count++] = take_fd(&fd);
	return 0;
}

static int cgroup_v2_not_delegated(struct err *e)
{
	return err_set(
		e, ERR_UNSUPPORTED,
		"limits need a delegated cgroup; start it as \"systemd-run --user --scope -p "
		"Delegate=yes glovebox run ...\", or give up limits with --memory 0 --cpus 0 "
		"--pids-limit 0");
}

/* Our own group from /proc/self/cgroup ("0::/user.slice/..."), as a path below the mount. */
static int cgroup_v2_own_group(char *out, size_t size, struct err *e)
{
	char text[4096];
	const char *path;

	if (io_peek(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)))
		return err_sys(e, "read /proc/self/cgroup");
	path = strstr(text, "0::/");
	if (!path)
		return cgroup_v2_not_delegated(e);
	path += 4;
	snprintf(out, size, "%.*s", (int)strcspn(path, "\n"), path);
	return 0;
}

/*
 * Rootless: a move is allowed only below a common ancestor that is ours (cgroups(7), "delegation
 * containment"). That is the group above our own if it already enables controllers, else our own,
 * which we leave first.
 */
static int cgroup_v2_find_delegated(const struct limits *l, struct cgroup *c, struct err *e)
{
	char own[4096];
	char pid[24];
	auto_fd int root = cgroup_v2_open_dir(AT_FDCWD, MOUNT);
	auto_fd int fd = -1;
	auto_fd int above = -1;

	if (root < 0)
		return err_sys(e, "open " MOUNT);
	if (cgroup_v2_own_group(own, sizeof(own), e))
		return -1;
	fd = cgroup_v2_open_dir(root, *own ? own : ".");
	if (fd < 0)
		return err_sys(e, "open cgroup %s", own);
	above = *own ? cgroup_v2_open_dir(fd, "..") : -1;
	if (above >= 0 && !faccessat(above, "cgroup.procs", W_OK, 0) &&
	    cgroup_v2_is_ready(above, l)) {
		c->parents[c->count++] = take_fd(&above);
		return 0;
	}
	if (faccessat(fd, "cgroup.procs", W_OK, 0) ||
	    faccessat(fd, "cgroup.subtree_control", W_OK, 0))
		return cgroup_v2_not_delegated(e);
	if (mkdirat(fd, SUPERVISOR_LEAF, 0755) && errno != EEXIST)
		return cgroup_v2_not_delegated(e);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (io_put(fd, SUPERVISOR_LEAF "/cgroup.procs", pid))
		return err_sys(e, "move into the cgroup " SUPERVISOR_LEAF);
	if (cgroup_v2_enable(fd, l, e))
		return e->number == EBUSY ? cgroup_v2_not_delegated(e) : -1;
	c->parents[c->count++] = take_fd(&fd);
	return 0;
}

static int cgroup_v2_find_parents(const struct limits *limits, struct cgroup *c, struct err *e)
{
	const char *named = getenv("GLOVEBOX_CGROUP");

	if (named && *named)
		return cgroup_v2_make_parent(named[0] == '/' ? named + 1 : named, limits, c, e);
	if (geteuid() == 0)
		return cgroup_v2_make_parent("glovebox", limits, c, e);
	return cgroup_v2_find_delegated(limits, c, e);
}

static int cgroup_v2_set_memory(const struct limits *l, int dir, struct err *e)
{
	if (l->memory_bytes == SPEC_UNLIMITED)
		return 0;
	if (cgroup_put_number(dir, "memory.max", l->memory_bytes, e) ||
	    cgroup_put(dir, "memory.oom.group", "1", e))
		return -1;
	if (l->swap_bytes == SPEC_UNLIMITED) {
		(void)io_put(dir, SWAP_MAX,
			     "max"); /* an adopted group may have it; may be absent */
		return 0;
	}
	if (faccessat(dir, SWAP_MAX, F_OK, 0)) {
		if (!cgroup_host_has_swap())
			return 0;
		return err_set(e, ERR_UNSUPPORTED,
			       "swap cannot be limited by this kernel: swapoff, or "
			       "allow it with --memory-swap -1");
	}
	return cgroup_put_number(dir, SWAP_MAX, l->swap_bytes, e);
}

static int cgroup_v2_set_limits(const struct limits *l, struct cgroup *c, struct err *e)
{
	int dir = c->dirs[0];
	char value[64];

	if (cgroup_v2_set_memory(l, dir, e))
		return -1;
	if (l->pids != SPEC_UNLIMITED && cgroup_put_number(dir, "pids.max", l->pids, e))
		return -1;
	if (l->cpu_quota_us != SPEC_UNLIMITED) {
		snprintf(value, sizeof(value), "%" PRIu64 " %" PRIu64, l->cpu_quota_us,
			 l->cpu_period_us);
		if (cgroup_put(dir, "cpu.max", value, e))
			return -1;
	}
	if (l->cpuset && cgroup_put(dir, "cpuset.cpus", l->cpuset, e))
		return -1;
	return 0;
}

static void cgroup_v2_remove_stale(const struct cgroup *c, const char *name)
{
	unlinkat(c->parents[0], name, AT_REMOVEDIR);
}

/* Only for root's own parent: the weight of a delegated group belongs to the administrator. */
static void cgroup_v2_set_weight(const struct cgroup *c, unsigned live)
{
	char value[24];

	if (geteuid())
		return;
	snprintf(value, sizeof(value), "%u", 100 * (live < 100 ? live : 100));
	io_put(c->parents[0], "cpu.weight", value);
}

static void cgroup_v2_read_usage(const struct cgroup *c, struct cgroup_usage *out)
{
	int dir = c->dirs[0];

	/* memory.peak came with 5.19; without it the caller uses the largest resident set. */
	out->memory_peak_bytes = cgroup_number(dir, "memory.peak", NULL);
	out->oom_kills = cgroup_number(dir, "memory.events", "oom_kill");
	out->pids_refused = cgroup_number(dir, "pids.events", "max");
	out->cpu_us = cgroup_number(dir, "cpu.stat", "usage_usec");
}

/* The group is its own freezer. */
static int cgroup_v2_open_freezer(const struct cgroup *c, bool make,
				  const struct cgroup_freezer **how, struct err *e)
{
	static const struct cgroup_freezer own = {
		NULL, "cgroup.freeze", "1", "0", "cgroup.events", "frozen 1",
	};
	int fd = cgroup_v2_open_dir(c->dirs[0], ".");

	(void)make;
	*how = &own;
	return fd < 0 ? err_sys(e, "open cgroup %s", c->name) : fd;
}

/* Added to a limit on swap it lifts that: no machine has as much, and what it was can be read. */
#define LIFTED (1ull << 62)

/* false: there is none. */
static bool cgroup_v2_read_swap_limit(const struct cgroup *c, uint64_t *out)
{
	char text[32];

	if (io_peek(c->dirs[0], SWAP_MAX, text, sizeof(text)) || !isdigit((unsigned char)*text))
		return false;
	*out = strtoull(text, NULL, 10);
	return true;
}

static int cgroup_v2_limit_swap(const struct cgroup *c, struct err *e)
{
	uint64_t limit;

	if (!cgroup_v2_read_swap_limit(c, &limit) || limit < LIFTED)
		return 0;
	return cgroup_put_number(c->dirs[0], SWAP_MAX, limit - LIFTED, e);
}

/*
 * A sandbox has no swap of its own. It is allowed some for this moment only: pages that are out
 * then stay out, whatever the limit is afterwards. If we are killed meanwhile, the limit stays
 * lifted until somebody thaws the group. memory.reclaim came with 5.19, and fails with EAGAIN when
 * something stays.
 */
static void cgroup_v2_swap_out(const struct cgroup *c)
{
	struct err ignored;
	uint64_t limit;
	char bytes[32];

	if (io_peek(c->dirs[0], "memory.current", bytes, sizeof(bytes)) ||
	    (cgroup_v2_read_swap_limit(c, &limit) && limit < LIFTED &&
	     cgroup_put_number(c->dirs[0], SWAP_MAX, limit + LIFTED, &ignored)))
		return;
	io_put(c->dirs[0], "memory.reclaim", bytes);
	(void)cgroup_v2_limit_swap(c, &ignored);
}

const struct cgroup_layout cgroup_v2 = {
	.name = "cgroup v2",
	.find_parents = cgroup_v2_find_parents,
	.set_limits = cgroup_v2_set_limits,
	.remove_stale = cgroup_v2_remove_stale,
	.set_weight = cgroup_v2_set_weight,
	.read_usage = cgroup_v2_read_usage,
	.open_freezer = cgroup_v2_open_freezer,
	.swap_out = cgroup_v2_swap_out,
	.limit_swap = cgroup_v2_limit_swap,
	.resident_file = "memory.current",
	.swapped_file = "memory.swap.current",
};
