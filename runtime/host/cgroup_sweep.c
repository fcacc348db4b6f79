/*
 * cgroup_sweep - the groups of those who were killed.
 */
#include "host/cgroup_sweep.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/list.h"
#include "base/names.h"
#include "base/own.h"

/* Whether a group in that hierarchy is alive. One that is not, and is empty, is removed. */
static bool cgroup_sweep_look(const struct cgroup *c, unsigned i, const char *name)
{
	auto_fd int dir = openat(c->parents[i], name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return false;
	if (flock(dir, LOCK_EX | LOCK_NB))
		return true;
	if (i == 0)
		c->layout->remove_stale(c, name); /* wherever there is something of it */
	else
		unlinkat(c->parents[i], name, AT_REMOVEDIR);
	return false;
}

/* The groups of a hierarchy but for those that the first has, too. Returns how many are alive. */
static unsigned cgroup_sweep_names(const struct cgroup *c, unsigned i, const struct list *names,
				   const struct list *first)
{
	unsigned live = 0;
	size_t known = 0;

	for (size_t n = 0; n < names->count; n++) {
		const char *name = names->items[n];
		int order = -1;

		while (known < first->count && (order = strcmp(first->items[known], name)) < 0)
			known++;
		if (known == first->count || order > 0)
			live += !strncmp(name, CGROUP_PREFIX, strlen(CGROUP_PREFIX)) &&
				cgroup_sweep_look(c, i, name);
	}
	return live;
}

unsigned cgroup_sweep(const struct cgroup *c)
{
	auto_list struct list first = {0};
	const struct list none = {0};
	unsigned live;

	(void)names_read(c->parents[0], SIZE_MAX, &first);
	live = cgroup_sweep_names(c, 0, &first, &none);
	for (unsigned i = 1; i < c->count; i++) {
		auto_list struct list names = {0};

		if (flock(c->parents[i], LOCK_EX | LOCK_NB))
			continue;
		(void)names_read(c->parents[i], SIZE_MAX, &names);
		cgroup_sweep_names(c, i, &names, &first);
	}
	return live;
}
