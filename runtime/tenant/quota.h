/*
 * quota - bound what one key has at once in a server.
 *
 * spec/setting_ceiling.h bounds a single run; this module bounds all runs, sessions and requests of
 * a key together, and store/file_store.h its files. A refused request consumes nothing.
 *
 * Requests are limited by a token bucket: an idle key may send those of a whole minute at once, and
 * then as many as the elapsed time refills.
 *
 * No side effects: the caller passes the time. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_TENANT_QUOTA_H
#define GLOVEBOX_TENANT_QUOTA_H

#include <stdint.h>

#include "base/err.h"
#include "base/list.h"
#include "spec/setting.h"

struct key;

/* Upper bounds; SPEC_UNLIMITED: none. In a ceiling's JSON beside "limits" (tenant/ceiling.h). */
struct quota {
	uint64_t runs; /* at once: "concurrency" */
	uint64_t sessions;
	uint64_t requests;      /* a minute: "requests_per_minute" */
	uint64_t storage_bytes; /* of files: "storage" */
	uint64_t files;
	uint64_t ttl_ms;    /* of a session: "ttl"; compared where a session is made */
	struct list egress; /* owned; hosts, of which ceiling.run.egress is made */
	uint64_t given[SETTING_GIVEN];
};

extern const struct setting quota_settings[];

/* Present usage of a key; all zero at first. */
struct quota_use {
	uint64_t runs;
	uint64_t begun;   /* sessions that have begun or failed to, since the server's start */
	uint64_t full_us; /* when the bucket of requests is full again */
};

/*
 * quota_enter_run - count one more run, which holds the key (tenant/keys.h) until
 * quota_leave_run().
 *
 * @retry_after_s  out, if refused: a guess when a run will have ended, at least 1.
 * Errors: ERR_BUSY (429).
 */
int quota_enter_run(struct key *key, uint64_t *retry_after_s, struct err *e);

/* Count one run less. Frees the key if it was removed and this was its last holder. */
void quota_leave_run(struct key *key);

/*
 * quota_count_request - count one more request.
 *
 * @now_us         monotonic_us().
 * @retry_after_s  out, if refused: when the bucket has room for a request, at least 1.
 * Errors: ERR_BUSY (429).
 */
int quota_count_request(struct key *key, uint64_t now_us, uint64_t *retry_after_s, struct err *e);

/*
 * quota_check_sessions - whether a key with @count sessions may have one more; the caller counts.
 * Errors and @retry_after_s: as above.
 */
int quota_check_sessions(const struct key *key, uint64_t count, uint64_t *retry_after_s,
			 struct err *e);

#endif
