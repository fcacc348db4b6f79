/*
 * sandbox_json - a sandbox as E2B's control API describes it.
 */
#include "e2b/sandbox_json.h"

#include "base/json_put.h"
#include "loop/clock.h"
#include "session/session_spec.h"

/* Clients decide by the version of envd what they may ask. */
#define ENVD_VERSION "0.5.7"
#define CLIENT_ID    "glovebox"
#define MIB          (1u << 20)

static void sandbox_json_put_names(const struct e2b_box *b, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put(out,
		 "templateID:%s, sandboxID:%s, clientID:'" CLIENT_ID "', envdVersion:'" ENVD_VERSION
		 "', alias:%s",
		 b->box.template, b->id, b->box.template);
}

void sandbox_json_put_access(const struct server *s, const struct e2b_box *b, struct buf *out)
{
	char token[DIGEST_HEX];

	e2b_box_token(s, b->box.name, token);
	sandbox_json_put_names(b, out);
	if (!b->is_open)
		json_put(out, "envdAccessToken:%s, trafficAccessToken:%s", token, token);
	json_put_null(out, "domain");
	json_put_end(out, '}');
}

void sandbox_json_put(const struct server *s, struct e2b_box *b, uint64_t age_ms, uint64_t ttl_ms,
		      struct buf *out)
{
	const uint64_t began_ms = box_began(&b->box, age_ms);
	char began[CLOCK_UTC_SIZE];
	char ends[CLOCK_UTC_SIZE];

	clock_utc_ms_at(began_ms, began);
	clock_utc_ms_at(began_ms + ttl_ms, ends);
	sandbox_json_put_names(b, out);
	json_put(out, "startedAt:%s, endAt:%s, state:%s, cpuCount:%lu, memoryMB:%lu, diskSizeMB:%u",
		 began, ends, b->box.is_asleep ? "paused" : "running", box_cpus(s),
		 box_memory_mib(s), WORKSPACE_BYTES / MIB);
	json_put_key(out, "metadata");
	buf_add(out, b->box.metadata.data, b->box.metadata.length);
	json_put_end(out, '}');
}
