/*
 * session_limits - what a session's branches have in common with it, as JSON members.
 */
#include <errno.h>
#include <stdlib.h>

#include "cell/session.h"

#define LIMITS 5

void session_write_limits(const struct session *s, struct buf *out)
{
	const struct limits *l = &s->limits;

	/* As text: JSON's numbers end at 2^53. */
	buf_printf(out,
		   ",\"inside_uid\":%u,\"inside_gid\":%u,\"limits\":\"%llu %llu %llu %llu %llu\"",
		   s->uid, s->gid, (unsigned long long)l->memory_bytes,
		   (unsigned long long)l->swap_bytes, (unsigned long long)l->pids,
		   (unsigned long long)l->cpu_quota_us, (unsigned long long)l->cpu_period_us);
}

static int read_numbers(const char *text, unsigned long long out[LIMITS])
{
	char *end;

	for (int i = 0; i < LIMITS; i++) {
		if (*text < '0' || *text > '9')
			return -1;
		errno = 0;
		out[i] = strtoull(text, &end, 10);
		if (errno || *end != (i == LIMITS - 1 ? '\0' : ' '))
			return -1;
		text = end + 1;
	}
	return 0;
}

int session_read_limits(const struct json *from, struct session *out, struct err *e)
{
	unsigned long long n[LIMITS];
	const char *text = NULL;
	uint64_t uid = 0;
	uint64_t gid = 0;

	if (json_get_uint(from, "inside_uid", &uid, e) ||
	    json_get_uint(from, "inside_gid", &gid, e) || json_get_string(from, "limits", &text, e))
		return -1;
	if (!text || read_numbers(text, n))
		return err_input(e, "a session has %d limits", LIMITS);
	out->uid = (uint32_t)uid;
	out->gid = (uint32_t)gid;
	out->limits = (struct limits){.memory_bytes = n[0],
				      .swap_bytes = n[1],
				      .pids = n[2],
				      .cpu_quota_us = n[3],
				      .cpu_period_us = n[4],
				      .cpu_time_ms = SPEC_UNLIMITED,
				      .wall_time_ms = SPEC_UNLIMITED,
				      .output_bytes = SPEC_UNLIMITED};
	return 0;
}
