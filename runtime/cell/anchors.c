/*
 * anchors - the old places of sessions that have branched.
 */
#include "cell/anchors.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/own.h"

void anchors_add(struct anchors *a, struct session *old)
{
	struct session *added;

	a->items = realloc(a->items, (a->count + 1) * sizeof(*a->items));
	if (!a->items)
		abort();
	added = &a->items[a->count++];
	*added = session_none();
	added->fds[SESSION_PIDFD] = take_fd(&old->fds[SESSION_PIDFD]);
	snprintf(added->group, sizeof(added->group), "%s", old->group);
	while (added->group_count < old->group_count) {
		added->groups[added->group_count] = take_fd(&old->groups[added->group_count]);
		added->group_count++;
	}
	session_close(old);
}

static void end(struct anchors *a, unsigned index)
{
	session_end(&a->items[index]);
	a->items[index] = a->items[--a->count];
}

void anchors_check(struct anchors *a)
{
	for (unsigned i = a->count; i-- > 0;) {
		struct pollfd ended = {a->items[i].fds[SESSION_PIDFD], POLLIN, 0};

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
