/*
 * kept_session - how long a session is kept.
 */
#include "warm/sessions.h"

#include "host/socket_count.h"
#include "warm/spare_fds.h"

/* The clock may have been read before the last use. */
static uint64_t kept_session_ms_since(uint64_t then_us, uint64_t now_us)
{
	return now_us > then_us ? (now_us - then_us) / 1000 : 0;
}

const char *kept_session_why_over(const struct kept_session *k, bool ended, uint64_t now_us)
{
	if (k->ttl_ms && kept_session_ms_since(k->made_us, now_us) > k->ttl_ms)
		return "has reached the end of its time (--ttl)";
	if (k->borrower)
		return NULL;
	if (k->idle_ms && kept_session_ms_since(k->used_us, now_us) > k->idle_ms)
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

	/* Its borrower counts them itself; a frozen session makes none. */
	if ((k->borrower && !k->for_files) || k->session.frozen)
		return NULL;
	socket_count_start(&sockets, k->session.fds[SESSION_PIDFD], k->session.memory_bytes);
	many = sockets.pidfd < 0 ? 0 : socket_count_look(&sockets, sockets.next_us, &e);
	socket_count_end(&sockets);
	/* If we lack descriptors nothing is known about the session: try again later. */
	if (many < 0 && spare_fds_are_wanted())
		return NULL;
	if (many < 0)
		return "could not be looked at: /proc hides its pid 1 (hidepid); mount it with "
		       "gid=GROUP and start the warm supervisor in that group";
	return many ? "exceeded its memory limit, in sockets" : NULL;
}
