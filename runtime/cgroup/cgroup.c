/*
 * cgroup - the control group of one sandbox: limits, usage, removal.
 */
#include "cgroup/cgroup.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup_sweep.h"
#include "loop/clock.h"
#include "loop/fd.h"

#define REMOVE_US     1000000
#define MAKE_TRIES    100     /* a sweep is quick */
#define FORMER_US     5000000 /* processes may take so long to end */
#define MAKE_PAUSE_US 100

int cgroup_put(int dir_fd, const char *file, const char *value, struct err *e)
{
	if (io_put(dir_fd, file, value))
		return err_sys(e, "set cgroup limit %s to %s", file, value);
	return 0;
}

int cgroup_put_number(int dir_fd, const char *file, uint64_t value, struct err *e)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return cgroup_put(dir_fd, file, text, e);
}

uint64_t cgroup_number(int dir_fd, const char *file, const char *key)
{
	char text[4096];
	const char *p = text;

	if (io_peek(dir_fd, file, text, sizeof(text)))
		return 0;
	while (key && p) {
		size_t length = strlen(key);

		if (!strncmp(p, key, length) && p[length] == ' ') {
			p += length + 1;
			break;
		}
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	return p ? strtoull(p, NULL, 10) : 0;
}

bool cgroup_host_has_swap(void)
{
	char text[512];
	const char *newline;

	/* One heading line, then one line per swap area (proc(5)). */
	if (io_peek(AT_FDCWD, "/proc/swaps", text, sizeof(text)))
		return true;
	newline = strchr(text, '\n');
	return newline && newline[1];
}

const struct cgroup_layout *cgroup_detect(void)
{
	struct statfs fs;

	if (statfs("/sys/fs/cgroup", &fs))
		return NULL;
	return fs.f_type == CGROUP2_SUPER_MAGIC ? &cgroup_v2 : &cgroup_v1;
}

bool cgroup_nothing_to_limit(const struct limits *l)
{
	return l->memory_bytes == SPEC_UNLIMITED && l->pids == SPEC_UNLIMITED &&
	       l->cpu_quota_us == SPEC_UNLIMITED && l->cpu_time_ms == SPEC_UNLIMITED && !l->cpuset;
}

/* On v1 cpu and cpuacct may be two names of one hierarchy, as systemd mounts them. */
static bool cgroup_is_made_already(const struct cgroup *c, unsigned i)
{
	struct stat this;
	struct stat before;

	return i && !fstat(c->parents[i], &this) && !fstat(c->parents[i - 1], &before) &&
	       this.st_dev == before.st_dev && this.st_ino == before.st_ino;
}

/* A process that can open a directory can lock it, so open it to our user only. */
static int cgroup_make_directory(int parent, const char *name)
{
	auto_fd int fd = -1;

	if (mkdirat(parent, name, 0700))
		return -1;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		return -1;
	if (!fd_is_named(fd, parent, name)) {
		errno = ENOENT;
		return -1;
	}
	return take_fd(&fd);
}

/*
 * A sweep that meets a directory before we lock it takes it for a dead one: make it again. One that
 * is there already is that of the same sandbox, whose monitor was killed: its processes are ending.
 */
static int cgroup_make_locked(struct cgroup *c, unsigned i, struct err *e)
{
	const uint64_t until_us = monotonic_us() + FORMER_US;
	bool has_former = false;

	if (cgroup_is_made_already(c, i)) { /* the copy shares the lock */
		c->ref.dirs[i] = fcntl(c->ref.dirs[i - 1], F_DUPFD_CLOEXEC, 0);
		return c->ref.dirs[i] < 0 ? err_sys(e, "open cgroup %s", c->ref.name) : 0;
	}
	for (int n = 0; n < MAKE_TRIES || (has_former && monotonic_us() < until_us); n++) {
		c->ref.dirs[i] = cgroup_make_directory(c->parents[i], c->ref.name);
		if (c->ref.dirs[i] >= 0)
			return 0;
		err_sys(e, "create cgroup %s", c->ref.name);
		if (e->number != EEXIST && e->number != ENOENT && e->number != EWOULDBLOCK)
			return -1;
		has_former |= n == 0 && e->number == EEXIST;
		if (e->number == EEXIST)
			(void)cgroup_sweep_one(c, i, c->ref.name);
		clock_pause_us(MAKE_PAUSE_US);
	}
	return -1;
}

static int cgroup_make_groups(struct cgroup *c, struct err *e)
{
	/* Otherwise all sandboxes of a parent would share the weight of one process (sched(7)). */
	c->layout->set_weight(c, cgroup_sweep(c) + 1);
	for (unsigned i = 0; i < c->ref.count; i++) {
		if (cgroup_make_locked(c, i, e))
			return -1;
	}
	return c->layout->make_inner(c, e);
}

int cgroup_open(const char *id, const struct limits *limits, struct cgroup *out, struct err *e)
{
	*out = (struct cgroup){.oom_fd = -1};
	for (int i = 0; i < CGROUP_MAX_FDS; i++)
		out->parents[i] = out->ref.dirs[i] = out->tasks[i] = -1;
	if (cgroup_nothing_to_limit(limits))
		return 0;
	out->layout = cgroup_detect();
	if (!out->layout)
		return err_set(e, ERR_UNSUPPORTED,
			       "limits need control groups: \"mount -t cgroup2 none "
			       "/sys/fs/cgroup\" as root");
	snprintf(out->ref.name, sizeof(out->ref.name), CGROUP_PREFIX "%.64s", id);
	if (out->layout->find_parents(limits, out, e))
		goto fail;
	if (cgroup_make_groups(out, e))
		goto fail;
	if (out->layout->set_limits(limits, out, e))
		goto fail;
	return 0;
fail:
	cgroup_close(out);
	return -1;
}

bool cgroup_wants_scope(void)
{
	const char *named = getenv("GLOVEBOX_CGROUP");

	return geteuid() != 0 && !(named && *named) && cgroup_detect() == &cgroup_v2 &&
	       !cgroup_v2_is_given();
}

/* How many directories a group with these limits has. */
static unsigned cgroup_directories(const struct limits *l)
{
	unsigned count = 0;

	for (enum cgroup_controller i = CGROUP_MEMORY; i < CGROUP_CONTROLLERS; i++)
		count += cgroup_needs(l, i);
	return cgroup_detect() == &cgroup_v2 ? CGROUP_V2_DIRECTORIES : count;
}

void cgroup_ref_close(struct cgroup_ref *ref)
{
	while (ref->count)
		own_close(&ref->dirs[--ref->count]);
}

struct cgroup cgroup_borrow(const struct cgroup_ref *ref)
{
	struct cgroup c = {.oom_fd = -1, .layout = cgroup_detect(), .ref = *ref};

	for (unsigned i = 0; i < CGROUP_MAX_FDS; i++) {
		c.tasks[i] = c.parents[i] = -1;
		if (i >= ref->count)
			c.ref.dirs[i] = -1;
	}
	return c;
}

int cgroup_adopt(struct cgroup_ref *ref, const struct limits *limits, struct cgroup *out,
		 struct err *e)
{
	struct cgroup_usage used = {0};

	*out = cgroup_borrow(ref);
	ref->count = 0;
	if (cgroup_nothing_to_limit(limits) || cgroup_directories(limits) != out->ref.count) {
		err_set(e, ERR_UNSUPPORTED,
			"a cell has --memory, --cpus and --pids-limit, but no --cpuset-cpus and no "
			"--cpu-time: leave it out");
		goto fail;
	}
	/*
	 * Use the group's own parents: ours may differ, as for a process of a login, where we
	 * cannot make groups.
	 */
	for (unsigned i = 0; i < out->ref.count; i++)
		out->parents[i] = openat(ref->dirs[i], "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	out->layout->read_usage(out, &used);
	out->cpu_before_us = used.cpu_us;
	if (!out->layout->set_limits(limits, out, e))
		return 0;
fail:
	cgroup_close(out);
	return -1;
}

bool cgroup_can_wait(void)
{
	return cgroup_detect() == &cgroup_v1;
}

int cgroup_open_tasks(struct cgroup *c, struct err *e)
{
	if (!c->ref.count || c->task_count)
		return 0;
	c->tasks[0] = openat(cgroup_processes(&c->ref), "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (c->tasks[0] < 0)
		return err_sys(e, "open cgroup.procs of %s", c->ref.name);
	c->task_count = 1;
	return 0;
}

int cgroup_birth_fd(const struct cgroup *c)
{
	return c->layout == &cgroup_v2 ? cgroup_processes(&c->ref) : -1;
}

void cgroup_read_usage(const struct cgroup *c, struct cgroup_usage *out)
{
	*out = (struct cgroup_usage){0};
	if (c->layout)
		c->layout->read_usage(c, out);
	out->cpu_us -= c->cpu_before_us;
}

void cgroup_forget(struct cgroup *c)
{
	if (!c->layout)
		return;
	for (unsigned i = 0; i < CGROUP_MAX_FDS; i++) {
		own_close(&c->tasks[i]);
		own_close(&c->ref.dirs[i]);
		own_close(&c->parents[i]);
	}
	own_close(&c->oom_fd);
	c->task_count = 0;
	c->layout = NULL;
}

static void cgroup_rmdir(int parent_fd, const char *name, uint64_t by_us)
{
	unsigned tries = 0;

	while (cgroup_unlink(parent_fd, name) && errno == EBUSY && monotonic_us() < by_us)
		clock_pause_us(tries++ < 20 ? 1000 : 5000);
}

/* The kernel removes a reaped task from its group a moment later; a second is more than enough. */
static uint64_t cgroup_remove_by_us(const struct cgroup *c)
{
	const uint64_t by_us = monotonic_us() + REMOVE_US;

	return c->remove_by_us && c->remove_by_us < by_us ? c->remove_by_us : by_us;
}

/* true: the freezer hierarchies hold nothing of the group. */
static bool cgroup_remove_freezers(const struct cgroup *c)
{
	return !c->layout || !c->layout->remove_freezers || c->layout->remove_freezers(c);
}

void cgroup_close(struct cgroup *c)
{
	const uint64_t by_us = cgroup_remove_by_us(c);

	if (!c->layout)
		return;
	/*
	 * Remove the first directory last: sweeps look there, so one finds the rest if we are
	 * killed.
	 */
	for (unsigned i = CGROUP_MAX_FDS; i-- > 0;) {
		if (c->ref.dirs[i] >= 0)
			cgroup_rmdir(c->parents[i], c->ref.name, by_us);
	}
	cgroup_forget(c);
}

/* The parents are ".." of the directories, so this needs no limits. */
void cgroup_remove(struct cgroup_ref *ref, uint64_t by_us)
{
	struct cgroup c = cgroup_borrow(ref);

	ref->count = 0;
	c.remove_by_us = by_us;
	by_us = cgroup_remove_by_us(&c);
	while (!cgroup_remove_freezers(&c) && monotonic_us() < by_us)
		clock_pause_us(1000);
	for (unsigned i = 0; i < c.ref.count; i++)
		c.parents[i] = openat(c.ref.dirs[i], "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cgroup_close(&c);
}

bool cgroup_remove_once(const struct cgroup_ref *ref)
{
	const struct cgroup c = cgroup_borrow(ref);
	bool empty = cgroup_remove_freezers(&c);

	/* Remove the first directory last, and only once the others are gone: sweeps look there. */
	for (unsigned i = ref->count; i-- > 0 && empty;) {
		auto_fd int parent = openat(ref->dirs[i], "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		/* Without a descriptor for the parent, leave it to a sweep. */
		empty = parent >= 0 ? !cgroup_unlink(parent, ref->name) || errno != EBUSY
				    : errno != EMFILE && errno != ENFILE && errno != ENOMEM;
	}
	return empty;
}

struct cgroup_ref cgroup_hand_over(struct cgroup *c)
{
	const struct cgroup_ref ref = c->ref;

	for (unsigned i = 0; i < c->ref.count; i++)
		c->ref.dirs[i] = -1;
	cgroup_forget(c);
	return ref;
}

void cgroup_copy_name(char out[CGROUP_NAME_SIZE], const char *name)
{
	snprintf(out, CGROUP_NAME_SIZE, "%s", name);
}
