/*
 * kept_session - how long a session is kept.
 */
#include "cell/sessions.h"

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
