/*
 * anchors - the old places of sessions that have branched.
 */
#include "cell/anchors.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cgroup.h"
#include "host/spawn.h"

void anchors_add(struct anchors *a, struct session *old)
{
	struct anchor *added;

	a->items = realloc(a->items, (a->count + 1) * sizeof(*a->items));
	if (!a->items)
		abort();
	added = &a->items[a->count++];
	*added = (struct anchor){.pidfd = old->fds[SESSION_PIDFD], .dir_count = old->group_count};
	snprintf(added->group, sizeof(added->group), "%s", old->group);
	memcpy(added->dirs, old->groups, sizeof(added->dirs));
	old->fds[SESSION_PIDFD] = -1;
	old->group_count = 0;
	session_close(old);
}

static void end(struct anchors *a, unsigned index)
{
	struct anchor *ended = &a->items[index];
	struct child child = child_none();

	child.adopted = true;
	child.pidfd = ended->pidfd;
	child_end(&child);
	cgroup_remove(ended->group, ended->dirs, ended->dir_count);
	*ended = a->items[--a->count];
}

void anchors_check(struct anchors *a)
{
	for (unsigned i = a->count; i-- > 0;) {
		struct pollfd ended = {a->items[i].pidfd, POLLIN, 0};

		if (poll(&ended, 1, 0) > 0)
			end(a, i);
	}
}

void anchors_fini(struct anchors *a)
{
	while (a->count)
		end(a, a->count - 1);
	free(a->items);
	*a = (struct anchors){0};
}
