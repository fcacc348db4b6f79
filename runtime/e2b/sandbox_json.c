/*
 * sandbox_json - a sandbox as E2B's control API describes it.
 */
#include "e2b/sandbox_json.h"

#include <unistd.h>

#include "base/json_put.h"
#include "loop/clock.h"
#include "session/session_spec.h"

/* Clients decide by the version of envd what they may ask. */
#define ENVD_VERSION "0.5.7"
#define CLIENT_ID    "glovebox"
#define MIB          (1u << 20)

static void sandbox_json_put_names(const struct box *b, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put(out,
		 "templateID:%s, sandboxID:%s, clientID:'" CLIENT_ID "', envdVersion:'" ENVD_VERSION
		 "', alias:%s",
		 b->template, b->id, b->template);
}

void sandbox_json_put_access(const struct server *s, const struct box *b, struct buf *out)
{
	char token[DIGEST_HEX];

	box_token(s, b->name, token);
	sandbox_json_put_names(b, out);
	if (!b->is_open)
		json_put(out, "envdAccessToken:%s, trafficAccessToken:%s", token, token);
	json_put_null(out, "domain");
	json_put_end(out, '}');
}

static unsigned long sandbox_json_cpus(const struct limits *l)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (l->cpu_quota_us == SPEC_UNLIMITED || !l->cpu_period_us)
		return online > 0 ? (unsigned long)online : 1;
	return (unsigned long)((l->cpu_quota_us + l->cpu_period_us - 1) / l->cpu_period_us);
}

void sandbox_json_put(const struct server *s, const struct box *b, uint64_t age_ms, uint64_t ttl_ms,
		      struct buf *out)
{
	const struct limits *l = &s->terms.limits;
	const uint64_t began_ms = clock_now_ms() - age_ms;
	const uint64_t memory = l->memory_bytes == SPEC_UNLIMITED ? 0 : l->memory_bytes / MIB;
	char began[CLOCK_UTC_SIZE];
	char ends[CLOCK_UTC_SIZE];

	clock_utc_ms_at(began_ms, began);
	clock_utc_ms_at(began_ms + ttl_ms, ends);
	sandbox_json_put_names(b, out);
	json_put(out, "startedAt:%s, endAt:%s, state:%s, cpuCount:%lu, memoryMB:%lu, diskSizeMB:%u",
		 began, ends, b->is_paused ? "paused" : "running", sandbox_json_cpus(l),
		 (unsigned long)memory, WORKSPACE_BYTES / MIB);
	json_put_key(out, "metadata");
	buf_add(out, b->metadata.data, b->metadata.length);
	json_put_end(out, '}');
}
