/*
 * session - the descriptors of a session, and the end of its cell.
 */
#include "wire/session.h"

#include "base/own.h"
#include "cgroup/cgroup_members.h"
#include "sandbox/spawn.h"

struct session session_none(void)
{
	struct session none = {.network = -1};

	for (int i = 0; i < SESSION_FDS; i++)
		none.fds[i] = -1;
	return none;
}

void session_close(struct session *s)
{
	for (int i = 0; i < SESSION_FDS; i++)
		own_close(&s->fds[i]);
	own_close(&s->network);
	cgroup_ref_close(&s->group);
	for (unsigned i = 0; i < s->checkpoint_count; i++)
		own_close(&s->checkpoints[i].socket);
	*s = session_none();
}

void session_kill(const struct session *s)
{
	struct child child = child_none();

	child.pidfd = s->fds[SESSION_PIDFD];
	child_kill(&child);
	cgroup_kill(&s->group);
}

void session_end_later(struct session *s, struct endings *endings)
{
	struct ending ending = ending_none();

	ending.pidfd = take_fd(&s->fds[SESSION_PIDFD]);
	ending.frozen = s->frozen;
	ending.group = s->group;
	s->group.count = 0;
	endings_add(endings, &ending);
	session_close(s);
}

void session_end(struct session *s)
{
	struct child child = child_none();

	session_kill(s);
	child.adopted = true;
	child.pidfd = take_fd(&s->fds[SESSION_PIDFD]);
	child_end(&child);
	own_close(&s->network); /* its process ends with that, and is in the group */
	cgroup_remove(&s->group, child.end_by_us);
	session_close(s);
}
