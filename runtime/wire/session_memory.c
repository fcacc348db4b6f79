/*
 * session_memory - whether a session ran out of its memory.
 */
#include "cgroup/cgroup.h"
#include "wire/session.h"

uint64_t session_oom_kills(const struct session *s)
{
	uint64_t kills;

	if (!s->group.count)
		return 0;
	/* v2, then v1; the first directory is the memory controller's. */
	kills = cgroup_number(s->group.dirs[0], "memory.events", "oom_kill");
	return kills ? kills : cgroup_number(s->group.dirs[0], "memory.oom_control", "oom_kill");
}
