/*
 * session_memory - whether a session ran out of memory.
 */
#include "cell/session.h"
#include "host/cgroup.h"

uint64_t session_oom_kills(const struct session *s)
{
	uint64_t kills;

	if (!s->group_count)
		return 0;
	/* v2, v1; its first directory is that of the memory controller. */
	kills = cgroup_number(s->groups[0], "memory.events", "oom_kill");
	return kills ? kills : cgroup_number(s->groups[0], "memory.oom_control", "oom_kill");
}
