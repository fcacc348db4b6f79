/*
 * cgroup_freezer - freeze and thaw a group.
 *
 * On v2 a group is its own freezer. v1's groups are not: we make a directory of the same name in a
 * hierarchy that can freeze, freeze it while it is empty, and move every process in. A process
 * stops when it arrives, so it cannot fork any more; moved out again, it continues.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup.h"
#include "cgroup/cgroup_members.h"
#include "loop/clock.h"

#define LOOKS   8
#define STEP_US 1000

/* Moving a thread moves its whole process. */
static int cgroup_freezer_move(int to, pid_t thread)
{
	char number[32];

	snprintf(number, sizeof(number), "%d", (int)thread);
	return io_put(to, "cgroup.procs", number) && errno != ESRCH ? -1 : 0;
}

/*
 * The processes in the freezer can only become fewer: if their number has not changed, all are
 * inside. Count threads, because a process whose first thread has ended is missing from the list of
 * processes of the group that it was moved to (cgroup_members.h). The kernel does not lock a group
 * while it lists it: a process that forks and exits between two steps can be missed together with
 * its child, but hardly several times in a row.
 */
static bool cgroup_freezer_all_inside(const struct cgroup *c, int freezer)
{
	int inside = cgroup_each_thread(freezer, NULL, -1);

	for (int looks = 0; looks < LOOKS; looks++)
		if (cgroup_each_thread(c->ref.dirs[0], NULL, -1) != inside)
			return false;
	return cgroup_each_thread(freezer, NULL, -1) == inside;
}

/* Move processes until no new one appears: those still outside may fork. 0: all are inside. */
static int cgroup_freezer_gather(const struct cgroup *c, int freezer, struct err *e)
{
	if (cgroup_each_thread(c->ref.dirs[0], cgroup_freezer_move, freezer) < 0)
		return err_sys(e, "move a process to the freezer of cgroup %s", c->ref.name);
	err_set(e, ERR_SYSTEM, "cannot freeze: its processes multiply too fast");
	return cgroup_freezer_all_inside(c, freezer);
}

static int cgroup_freezer_look(int freezer, const struct cgroup_freezer *how, struct err *e)
{
	char text[256];

	if (io_peek(freezer, how->events, text, sizeof(text)))
		return err_sys(e, "read %s", how->events);
	err_set(e, ERR_SYSTEM, "cannot freeze: a process does not stand still within 5 s");
	return strstr(text, how->frozen) != NULL;
}

void cgroup_prepare_freezer(const struct cgroup *c)
{
	const struct cgroup_freezer *how;
	struct err ignored;
	auto_fd int freezer =
		c->ref.count && c->layout ? c->layout->open_freezer(c, true, &how, &ignored) : -1;

	(void)freezer;
}

int cgroup_freeze_once(const struct cgroup_ref *ref, struct err *e)
{
	struct cgroup c = cgroup_borrow(ref);
	const struct cgroup_freezer *how;
	auto_fd int freezer = -1;
	int inside = 1;

	if (!ref->count || !c.layout)
		return err_set(e, ERR_UNSUPPORTED,
			       "without limits a session has no cgroup to freeze");
	freezer = c.layout->open_freezer(&c, true, &how, e);
	if (freezer < 0)
		return -1;
	if (io_put(freezer, how->file, how->freeze))
		return err_sys(e, "freeze cgroup %s", ref->name);
	if (how->mount)
		inside = cgroup_freezer_gather(&c, freezer, e);
	return inside > 0 ? cgroup_freezer_look(freezer, how, e) : inside;
}

int cgroup_thaw_once(const struct cgroup_ref *ref, struct err *e)
{
	struct cgroup c = cgroup_borrow(ref);
	const struct cgroup_freezer *how;
	auto_fd int freezer = -1;
	auto_fd int parent = -1;
	struct err none;
	int left;

	if (!ref->count || !c.layout)
		return 1;
	freezer = c.layout->open_freezer(&c, false, &how, &none);
	if (freezer < 0)
		return 1;
	if (how->mount) {
		parent = openat(freezer, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		left = cgroup_each_thread(freezer, cgroup_freezer_move, parent);
		if (left > 0)
			left = cgroup_each_thread(freezer, cgroup_freezer_move, parent);
		if (left > 0)
			return 0;
	}
	if (c.layout->limit_swap(&c, e))
		return -1;
	if (io_put(freezer, how->file, how->thaw))
		return err_sys(e, "thaw cgroup %s", ref->name);
	return !how->mount || !unlinkat(parent, ref->name, AT_REMOVEDIR) || errno != EBUSY;
}

int cgroup_freeze(const struct cgroup_ref *ref, struct err *e)
{
	struct err ignored;
	int done = 0;

	for (int steps = 0; !done && steps < CGROUP_FREEZE_STEPS; steps++) {
		if (steps)
			clock_pause_us(STEP_US);
		done = cgroup_freeze_once(ref, e);
	}
	if (done > 0)
		return 0;
	(void)cgroup_thaw(ref, &ignored);
	return -1;
}

int cgroup_thaw(const struct cgroup_ref *ref, struct err *e)
{
	int done = 0;

	for (int steps = 0; !done && steps < CGROUP_FREEZE_STEPS; steps++) {
		if (steps)
			clock_pause_us(STEP_US);
		done = cgroup_thaw_once(ref, e);
	}
	return done < 0 ? -1 : 0;
}

uint64_t cgroup_resident_bytes(const struct cgroup_ref *ref)
{
	struct cgroup c = cgroup_borrow(ref);

	return ref->count && c.layout ? cgroup_number(c.ref.dirs[0], c.layout->resident_file, NULL)
				      : 0;
}

void cgroup_read_memory(const struct cgroup_ref *ref, struct cgroup_memory *out)
{
	struct cgroup c = cgroup_borrow(ref);

	*out = (struct cgroup_memory){.has_swap = cgroup_host_has_swap(),
				      .resident_bytes = cgroup_resident_bytes(ref)};
	if (!ref->count || !c.layout)
		return;
	out->swapped_bytes =
		cgroup_number(c.ref.dirs[0], c.layout->swapped_file, c.layout->swapped_key);
}

int cgroup_memory_file(const struct cgroup *c, char out[PATH_MAX])
{
	size_t length;

	if (!c->layout || !c->ref.count || fd_path_read(c->ref.dirs[0], out))
		return -1;
	length = strlen(out);
	return snprintf(out + length, PATH_MAX - length, "/%s", c->layout->resident_file) <
			       (int)(PATH_MAX - length)
		       ? 0
		       : -1;
}

void cgroup_swap_out(const struct cgroup_ref *ref)
{
	struct cgroup c = cgroup_borrow(ref);

	if (ref->count && c.layout)
		c.layout->swap_out(&c);
}
