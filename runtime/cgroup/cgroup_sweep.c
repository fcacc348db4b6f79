/*
 * cgroup_sweep - remove groups whose owner was killed.
 */
#include "cgroup/cgroup_sweep.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "fs/names.h"
#include "loop/fd.h"

bool cgroup_sweep_one(const struct cgroup *c, unsigned i, const char *name)
{
	auto_fd int dir = openat(c->parents[i], name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return false;
	/* Not the lock of one that is gone: the name may lead to another group by now. */
	if (flock(dir, LOCK_EX | LOCK_NB) || !fd_is_named(dir, c->parents[i], name))
		return true;
	if (i == 0)
		c->layout->remove_stale(c, name); /* in every hierarchy */
	else
		(void)cgroup_unlink(c->parents[i], name);
	return false;
}

/*
 * Whether the first hierarchy has the name, too. @at: how far the sorted names have been compared.
 */
static bool cgroup_sweep_is_known(const struct list *first, size_t *at, const char *name)
{
	int order = -1;

	while (*at < first->count && (order = strcmp(first->items[*at], name)) < 0)
		++*at;
	return *at < first->count && order == 0;
}

static bool cgroup_sweep_is_ours(const char *name)
{
	return !strncmp(name, CGROUP_PREFIX, strlen(CGROUP_PREFIX));
}

/* Sweep a hierarchy's groups that the first one lacks. Returns how many are alive. */
static unsigned cgroup_sweep_names(const struct cgroup *c, unsigned i, const struct list *names,
				   const struct list *first)
{
	unsigned live = 0;
	size_t at = 0;

	for (size_t n = 0; n < names->count; n++) {
		const char *name = names->items[n];

		if (!cgroup_sweep_is_known(first, &at, name))
			live += cgroup_sweep_is_ours(name) && cgroup_sweep_one(c, i, name);
	}
	return live;
}

/*
 * A client that was killed while it froze a session may have left a freezer directory after the
 * supervisor removed the group. These directories are not locked: each belongs to a group of the
 * first hierarchy, which was made before it, or to none.
 */
static void cgroup_sweep_freezers(const struct cgroup *c, const struct list *first)
{
	for (unsigned i = 0; c->layout->open_freezers && i < CGROUP_FREEZERS; i++) {
		auto_fd int parent = c->layout->open_freezers(i);
		auto_list struct list names = {0};
		size_t at = 0;

		if (parent < 0)
			continue;
		(void)names_read(parent, SIZE_MAX, &names);
		for (size_t n = 0; n < names.count; n++) {
			const char *name = names.items[n];

			if (!cgroup_sweep_is_known(first, &at, name) &&
			    cgroup_sweep_is_ours(name) &&
			    faccessat(c->parents[0], name, F_OK, AT_SYMLINK_NOFOLLOW))
				unlinkat(parent, name, AT_REMOVEDIR);
		}
	}
}

unsigned cgroup_sweep(const struct cgroup *c)
{
	auto_list struct list first = {0};
	const struct list none = {0};
	unsigned live;

	(void)names_read(c->parents[0], SIZE_MAX, &first);
	live = cgroup_sweep_names(c, 0, &first, &none);
	cgroup_sweep_freezers(c, &first);
	for (unsigned i = 1; i < c->ref.count; i++) {
		auto_list struct list names = {0};

		(void)names_read(c->parents[i], SIZE_MAX, &names);
		cgroup_sweep_names(c, i, &names, &first);
	}
	return live;
}
