/*
 * cgroup_v2 - the unified hierarchy.
 *
 * The sandbox is born inside its group (clone3, CLONE_INTO_CGROUP), so it never waits for a
 * migration. memory.oom.group makes the out-of-memory killer end the sandbox as a whole. The limits
 * are on the directory above that of its processes (cgroup/cgroup.h).
 */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup.h"
#include "cgroup/cgroup_update.h"
#include "cgroup/cgroup_v2_parents.h"
#include "host/omit.h"

#define MOUNT       "/sys/fs/cgroup"
#define SWAP_MAX    "memory.swap.max"
#define MEMORY_MAX  "memory.max"
#define MEMORY_HIGH "memory.high"
#define NONE        "max"

/*
 * The processes of the sandbox form a memory group of their own: out of memory they die together,
 * and glovebox-egress survives.
 */
static int cgroup_v2_make_inner(struct cgroup *c, struct err *e)
{
	if (cgroup_put(c->ref.dirs[0], "cgroup.subtree_control", "+memory", e))
		return -1;
	c->parents[1] = openat(c->ref.dirs[0], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->parents[1] < 0 || mkdirat(c->parents[1], c->ref.name, 0700))
		return err_sys(e, "create a cgroup in %s", c->ref.name);
	c->ref.dirs[1] = openat(c->parents[1], c->ref.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->ref.dirs[1] < 0)
		return err_sys(e, "open a cgroup in %s", c->ref.name);
	c->ref.count = CGROUP_V2_DIRECTORIES;
	return 0;
}

static int cgroup_v2_no_swap_limit(struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED,
		       "swap cannot be limited by this kernel: swapoff, or allow it with "
		       "--memory-swap -1");
}

/*
 * Set the same limit for the processes alone, so that without a network the kernel finds their
 * group full.
 */
static int cgroup_v2_set_memory(const struct limits *l, int dir, int inner, struct err *e)
{
	if (l->memory_bytes == SPEC_UNLIMITED)
		return 0;
	if (cgroup_put_number(dir, MEMORY_MAX, l->memory_bytes, e) ||
	    cgroup_put_number(inner, MEMORY_MAX, l->memory_bytes, e) ||
	    cgroup_put(inner, "memory.oom.group", "1", e))
		return -1;
	if (l->swap_bytes == SPEC_UNLIMITED) {
		(void)io_put(dir, SWAP_MAX,
			     NONE); /* an adopted group may have one; the file may be absent */
		return 0;
	}
	if (host_omits("swap"))
		return 0;
	if (faccessat(dir, SWAP_MAX, F_OK, 0)) {
		if (!cgroup_host_has_swap())
			return 0;
		return cgroup_v2_no_swap_limit(e);
	}
	return cgroup_put_number(dir, SWAP_MAX, l->swap_bytes, e);
}

static int cgroup_v2_set_limits(const struct limits *l, struct cgroup *c, struct err *e)
{
	int dir = c->ref.dirs[0];
	char value[64];

	/*
	 * The child is born in its group, so the omission happens here and not in the step inside.
	 */
	if (host_omits("cgroup"))
		return 0;
	if (cgroup_v2_set_memory(l, dir, cgroup_processes(&c->ref), e))
		return -1;
	if (l->pids != SPEC_UNLIMITED && cgroup_put_number(dir, "pids.max", l->pids, e))
		return -1;
	if (l->cpu_quota_us != SPEC_UNLIMITED) {
		snprintf(value, sizeof(value), "%" PRIu64 " %" PRIu64, l->cpu_quota_us,
			 l->cpu_period_us);
		if (cgroup_put(dir, "cpu.max", value, e))
			return -1;
	}
	if (l->cpuset &&
	    cgroup_put_cpuset(dir, l->cpuset, c->parents[0], "cpuset.cpus.effective", e))
		return -1;
	return 0;
}

/* The directory of the limits, if it has this file: the controller is enabled. */
static int cgroup_v2_find(const struct cgroup *c, const char *file)
{
	return faccessat(c->ref.dirs[0], file, F_OK, 0) ? -1 : c->ref.dirs[0];
}

/*
 * Below what is used memory.max would have the kernel kill; memory.high only has it reclaim. The
 * last line lifts that again.
 */
static int cgroup_v2_change_memory(const struct cgroup *c, const struct limits *now,
				   const struct limits *next, struct cgroup_changes *out,
				   struct err *e)
{
	const int dir = cgroup_v2_find(c, MEMORY_MAX);
	const int inner = dir < 0 ? -1 : cgroup_processes(&c->ref);
	const bool lower = next->memory_bytes < now->memory_bytes;

	if (lower)
		cgroup_change_number(out, dir, MEMORY_HIGH, "--memory", next->memory_bytes, NONE)
			->most_bytes = next->memory_bytes;
	cgroup_change_number(out, dir, MEMORY_MAX, "--memory", next->memory_bytes, NONE);
	cgroup_change_number(out, inner, MEMORY_MAX, "--memory", next->memory_bytes, NONE);
	cgroup_change_add(out, inner, "memory.oom.group", "--memory", "1");
	if (lower)
		cgroup_change_add(out, dir, MEMORY_HIGH, "--memory", NONE);
	if (cgroup_v2_find(c, SWAP_MAX) >= 0)
		cgroup_change_number(out, dir, SWAP_MAX, "--memory-swap",
				     next->memory_bytes == SPEC_UNLIMITED ? SPEC_UNLIMITED
									  : next->swap_bytes,
				     NONE);
	else if (next->swap_bytes != SPEC_UNLIMITED && cgroup_host_has_swap())
		return cgroup_v2_no_swap_limit(e);
	return 0;
}

static int cgroup_v2_list_changes(const struct cgroup *c, const struct limits *now,
				  const struct limits *next, struct cgroup_changes *out,
				  struct err *e)
{
	auto_free char *cpu = NULL;

	if ((now->memory_bytes != next->memory_bytes || now->swap_bytes != next->swap_bytes) &&
	    cgroup_v2_change_memory(c, now, next, out, e))
		return -1;
	if (now->pids != next->pids)
		cgroup_change_number(out, cgroup_v2_find(c, "pids.max"), "pids.max", "--pids-limit",
				     next->pids, NONE);
	if (now->cpu_quota_us == next->cpu_quota_us && now->cpu_period_us == next->cpu_period_us)
		return 0;
	cpu = next->cpu_quota_us == SPEC_UNLIMITED
		      ? own_printf(NONE " %" PRIu64, next->cpu_period_us)
		      : own_printf("%" PRIu64 " %" PRIu64, next->cpu_quota_us, next->cpu_period_us);
	cgroup_change_add(out, cgroup_v2_find(c, "cpu.max"), "cpu.max", "--cpus", cpu);
	return 0;
}

static void cgroup_v2_remove_stale(const struct cgroup *c, const char *name)
{
	auto_fd int dir = openat(c->parents[0], name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0)
		(void)cgroup_unlink(dir, name);
	(void)cgroup_unlink(c->parents[0], name);
}

/* Only for root's own parent: the administrator sets the weight of a delegated group. */
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
	int dir = c->ref.dirs[0];

	/* memory.peak came with 5.19; without it the caller uses the largest resident set size. */
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
	int fd = openat(cgroup_processes(&c->ref), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)make;
	*how = &own;
	return fd < 0 ? err_sys(e, "open cgroup %s", c->ref.name) : fd;
}

/*
 * Added to a swap limit it means "lifted": machines do not have as much, and the old limit can be
 * computed back.
 */
#define LIFTED (1ull << 62)

/* Returns false if the kernel has no swap limit. */
static bool cgroup_v2_read_swap_limit(const struct cgroup *c, uint64_t *out)
{
	char text[32];

	if (io_peek(c->ref.dirs[0], SWAP_MAX, text, sizeof(text)) || !isdigit((unsigned char)*text))
		return false;
	*out = strtoull(text, NULL, 10);
	return true;
}

static int cgroup_v2_limit_swap(const struct cgroup *c, struct err *e)
{
	uint64_t limit;

	if (!cgroup_v2_read_swap_limit(c, &limit) || limit < LIFTED)
		return 0;
	return cgroup_put_number(c->ref.dirs[0], SWAP_MAX, limit - LIFTED, e);
}

/*
 * A sandbox has no swap of its own. Allow some for this moment only: swapped pages stay out,
 * whatever the limit is afterwards. If we are killed meanwhile, the limit stays lifted until a
 * thaw. memory.reclaim came with 5.19, and fails with EAGAIN when some pages stay.
 */
static void cgroup_v2_swap_out(const struct cgroup *c)
{
	struct err ignored;
	uint64_t limit;
	char bytes[32];

	if (io_peek(c->ref.dirs[0], "memory.current", bytes, sizeof(bytes)) ||
	    (cgroup_v2_read_swap_limit(c, &limit) && limit < LIFTED &&
	     cgroup_put_number(c->ref.dirs[0], SWAP_MAX, limit + LIFTED, &ignored)))
		return;
	io_put(c->ref.dirs[0], "memory.reclaim", bytes);
	(void)cgroup_v2_limit_swap(c, &ignored);
}

const struct cgroup_layout cgroup_v2 = {
	.name = "cgroup v2",
	.find_parents = cgroup_v2_parents_find,
	.make_inner = cgroup_v2_make_inner,
	.set_limits = cgroup_v2_set_limits,
	.list_changes = cgroup_v2_list_changes,
	.remove_stale = cgroup_v2_remove_stale,
	.set_weight = cgroup_v2_set_weight,
	.read_usage = cgroup_v2_read_usage,
	.open_freezer = cgroup_v2_open_freezer,
	.swap_out = cgroup_v2_swap_out,
	.limit_swap = cgroup_v2_limit_swap,
	.resident_file = "memory.current",
	.swapped_file = "memory.swap.current",
};
