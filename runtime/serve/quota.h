/*
 * quota - how much of a server one key has at once, and whether it may have more.
 *
 * What one run may have is checked by spec/setting_ceiling.h; this is about all runs, sessions and
 * requests of a key together. Its files are counted where they are (serve/file_store.h). A request
 * that is refused has taken nothing.
 *
 * Requests are counted by a bucket: a key that was idle may make all those of a minute at once, and
 * then as many as time has brought since.
 *
 * No side effects: the caller says what time it is. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_QUOTA_H
#define GLOVEBOX_SERVE_QUOTA_H

#include <stdint.h>

#include "base/err.h"
#include "spec/setting.h"

struct key;

/* The most; SPEC_UNLIMITED: none. In a ceiling's JSON beside "limits" (serve/ceiling.h). */
struct quota {
	uint64_t runs; /* at once: "concurrency" */
	uint64_t sessions;
	uint64_t requests;      /* a minute: "requests_per_minute" */
	uint64_t storage_bytes; /* of files: "storage" */
	uint64_t files;
	uint64_t ttl_ms; /* of a session: "ttl"; who makes one compares */
	uint64_t given[SETTING_GIVEN];
};

extern const struct setting quota_settings[];

/* What a key has now; all zero in the beginning. */
struct quota_use {
	uint64_t runs;
	uint64_t begun;   /* sessions that have, or failed to, since our start */
	uint64_t full_us; /* when the bucket of requests will be full again */
};

/*
 * quota_enter_run - one more run, which holds the key (serve/keys.h) until quota_leave_run().
 *
 * @retry_after_s  out, when refused: a guess of when something has ended, at least 1.
 * Errors: ERR_BUSY (429).
 */
int quota_enter_run(struct key *key, uint64_t *retry_after_s, struct err *e);

/* One less. The key may be gone afterwards, if it was removed. */
void quota_leave_run(struct key *key);

/*
 * quota_count_request - one more request.
 *
 * @now_us         of a clock that never goes back: monotonic_us().
 * @retry_after_s  out, when refused: when that much of the bucket is there, at least 1.
 * Errors: ERR_BUSY (429).
 */
int quota_count_request(struct key *key, uint64_t now_us, uint64_t *retry_after_s, struct err *e);

/*
 * quota_check_sessions - whether a key that has so many sessions may have one more, where somebody
 * else knows how many there are. Errors and @retry_after_s: as above.
 */
int quota_check_sessions(const struct key *key, uint64_t count, uint64_t *retry_after_s,
			 struct err *e);

#endif
