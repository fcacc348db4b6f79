/*
 * quota - bound what one key has at once in a server.
 */
#include "tenant/quota.h"

#include <inttypes.h>
#include <stddef.h>

#include "spec/spec.h"
#include "tenant/keys.h"

#define MINUTE_US       60000000ull
#define SECOND_US       1000000ull
#define RUN_RETRY_S     2  /* EXECUTION_RETRY_AFTER_SEC of the reference API */
#define SESSION_RETRY_S 10 /* sessions take longer to end */
#define MAX_COUNT       1000000
#define MAX_BYTES       (1ll << 50)
#define MAX_TTL         (366ll * 86400 * 1000)
#define AT(field)       offsetof(struct quota, field)

/* clang-format off */
const struct setting quota_settings[] = {
	{"concurrency", 0, "N", GROUP_RESULT, FACE_SERVE, SETTING_COUNT, AT(runs), NULL, .min = 1, .max = MAX_COUNT, .ceiling = true, .help = "runs at once; default: half of --max-runs"},
	{"sessions", 0, "N", GROUP_RESULT, FACE_SERVE, SETTING_COUNT, AT(sessions), NULL, .max = MAX_COUNT, .ceiling = true, .help = "sessions at once; 0: none at all"},
	{"requests-per-minute", 0, "N", GROUP_RESULT, FACE_SERVE, SETTING_COUNT, AT(requests), NULL, .min = 1, .max = MAX_COUNT, .ceiling = true, .help = "requests a minute"},
	{"storage", 0, "SIZE", GROUP_RESULT, FACE_SERVE, SETTING_BYTES, AT(storage_bytes), NULL, .max = MAX_BYTES, .ceiling = true, .help = "files, all together; default: half of --max-files"},
	{"files", 0, "N", GROUP_RESULT, FACE_SERVE, SETTING_COUNT, AT(files), NULL, .max = MAX_COUNT, .ceiling = true, .help = "their number; default: half of 100000"},
	{"ttl", 0, "DURATION", GROUP_RESULT, FACE_SERVE, SETTING_DURATION, AT(ttl_ms), NULL, .min = 1000, .max = MAX_TTL, .ceiling = true, .help = "life of a session"},
	{"egress", 0, "HOST", GROUP_NETWORK, FACE_SERVE, SETTING_LIST, AT(egress), NULL, .repeated = true, .help = "hosts that a program may reach; default: none"},
	SETTING_END,
};
/* clang-format on */

/*
 * A token bucket as one number: the time at which it will be full. Each request moves that later by
 * its share of a minute; a refusal keeps it within the time of a full bucket.
 */
int quota_count_request(struct key *key, uint64_t now_us, uint64_t *retry_after_s, struct err *e)
{
	const uint64_t a_minute = key->ceiling.quota.requests;
	struct quota_use *use = &key->use;
	uint64_t share;
	uint64_t full;

	if (a_minute == SPEC_UNLIMITED)
		return 0;
	share = (MINUTE_US + a_minute - 1) / a_minute;
	full = (use->full_us > now_us ? use->full_us : now_us) + share;
	if (full - now_us > share * a_minute) {
		uint64_t wait = full - now_us - share * a_minute;

		*retry_after_s = (wait + SECOND_US - 1) / SECOND_US;
		return err_set(e, ERR_BUSY, "at most %" PRIu64 " requests a minute", a_minute);
	}
	use->full_us = full;
	return 0;
}

int quota_enter_run(struct key *key, uint64_t *retry_after_s, struct err *e)
{
	const uint64_t most = key->ceiling.quota.runs;

	if (key->use.runs >= most) {
		*retry_after_s = RUN_RETRY_S;
		return err_set(e, ERR_BUSY, "at most %" PRIu64 " runs at once", most);
	}
	key->use.runs++;
	key_hold(key);
	return 0;
}

void quota_leave_run(struct key *key)
{
	key->use.runs--;
	key_release(key);
}

int quota_check_sessions(const struct key *key, uint64_t count, uint64_t *retry_after_s,
			 struct err *e)
{
	const uint64_t most = key->ceiling.quota.sessions;

	if (count < most)
		return 0;
	*retry_after_s = SESSION_RETRY_S;
	return err_set(e, ERR_BUSY, "at most %" PRIu64 " sessions at once", most);
}
