/*
 * session_freeze - stop a session: no CPU time, and no memory where there is swap.
 */
#include "wire/session_freeze.h"

#include "base/fd.h"

int session_freeze(struct session *session, struct cgroup_memory *out, struct err *e)
{
	session->frozen = false;
	if (cgroup_freeze(session->group, session->groups, session->group_count, e))
		return fd_is_ready(session->fds[SESSION_PIDFD], POLLIN)
			       ? err_set(e, ERR_NOT_FOUND, "the session has ended meanwhile")
			       : -1;
	session->frozen = true;
	cgroup_swap_out(session->group, session->groups, session->group_count, out);
	return 0;
}

int session_thaw(struct session *session, struct err *e)
{
	if (session->frozen &&
	    cgroup_thaw(session->group, session->groups, session->group_count, e))
		return -1;
	session->frozen = false;
	return 0;
}
