/*
 * session_memory - a session's memory limit, and whether it ran out of it.
 */
#include <errno.h>
#include <stdlib.h>

#include "cell/session.h"
#include "host/cgroup.h"

/* As text: JSON's numbers end at 2^53. */
void session_write_memory(const struct session *s, struct buf *out)
{
	buf_printf(out, ",\"memory\":\"%llu\"", (unsigned long long)s->memory_bytes);
}

int session_read_memory(const struct json *from, struct session *out, struct err *e)
{
	const char *text = NULL;
	char *end = NULL;

	if (json_get_string(from, "memory", &text, e))
		return -1;
	errno = 0;
	if (text && *text >= '0' && *text <= '9')
		out->memory_bytes = strtoull(text, &end, 10);
	return !end || *end || errno ? err_input(e, "a session has a memory limit") : 0;
}

uint64_t session_oom_kills(const struct session *s)
{
	uint64_t kills;

	if (!s->group_count)
		return 0;
	/* v2, v1; its first directory is that of the memory controller. */
	kills = cgroup_number(s->groups[0], "memory.events", "oom_kill");
	return kills ? kills : cgroup_number(s->groups[0], "memory.oom_control", "oom_kill");
}
