/*
 * kept_session - how long a session is kept.
 */
#include "cell/sessions.h"

#include "host/socket_count.h"

const char *kept_session_why_over(const struct kept_session *k, bool ended, uint64_t now_us)
{
	if (k->ttl_ms && now_us - k->made_us > k->ttl_ms * 1000)
		return "has reached the end of its time (--ttl)";
	if (k->borrower)
		return NULL;
	if (k->idle_ms && now_us - k->used_us > k->idle_ms * 1000)
		return "was idle for too long";
	if (!ended)
		return NULL;
	return session_oom_kills(&k->session) > k->oom_kills ? "exceeded its memory limit"
							     : "has ended by itself";
}

const char *kept_session_why_full(const struct kept_session *k)
{
	struct socket_count sockets = socket_count_none();
	struct err e;
	int many;

	/* Its borrower looks; and what is frozen makes no socket. */
	if ((k->borrower && !k->for_files) || k->session.frozen)
		return NULL;
	socket_count_start(&sockets, k->session.fds[SESSION_PIDFD], k->session.memory_bytes);
	many = socket_count_look(&sockets, sockets.next_us, &e);
	socket_count_end(&sockets);
	if (many < 0)
		return "could not be looked at: /proc does not show its pid 1";
	return many ? "exceeded its memory limit, in sockets" : NULL;
}
