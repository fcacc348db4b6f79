/*
 * session_end - the descriptors of a session, and the end of its cell.
 */
#include <stdio.h>

#include "base/own.h"
#include "cell/session.h"
#include "host/cgroup_members.h"
#include "host/spawn.h"

struct session session_none(void)
{
	struct session none = {.group_count = 0};

	for (int i = 0; i < SESSION_FDS; i++)
		none.fds[i] = -1;
	for (int i = 0; i < CGROUP_MAX_FDS; i++)
		none.groups[i] = -1;
	return none;
}

void session_close(struct session *s)
{
	for (int i = 0; i < SESSION_FDS; i++)
		own_close(&s->fds[i]);
	for (unsigned i = 0; i < s->group_count; i++)
		own_close(&s->groups[i]);
	for (unsigned i = 0; i < s->twin_count; i++)
		own_close(&s->twins[i].socket);
	*s = session_none();
}

void session_take_group(struct session *s, struct cgroup *group)
{
	snprintf(s->group, sizeof(s->group), "%.79s", group->name);
	for (unsigned i = 0; i < group->count; i++)
		s->groups[s->group_count++] = take_fd(&group->dirs[i]);
	cgroup_forget(group);
}

void session_kill(const struct session *s)
{
	struct child child = child_none();

	child.pidfd = s->fds[SESSION_PIDFD];
	child_kill(&child);
	cgroup_kill(s->group, s->groups, s->group_count);
}

void session_end(struct session *s)
{
	struct child child = child_none();
	int dirs[CGROUP_MAX_FDS];

	session_kill(s);
	child.adopted = true;
	child.pidfd = take_fd(&s->fds[SESSION_PIDFD]);
	child_end(&child);
	for (unsigned i = 0; i < s->group_count; i++)
		dirs[i] = take_fd(&s->groups[i]);
	cgroup_remove(s->group, dirs, s->group_count);
	session_close(s);
}
