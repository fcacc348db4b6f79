/*
 * sandbox_json - a sandbox as E2B's control API describes it.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_SANDBOX_JSON_H
#define GLOVEBOX_E2B_SANDBOX_JSON_H

#include "e2b/e2b_box.h"

/* How clients reach it: the reply of create and connect. */
void sandbox_json_put_access(const struct server *s, const struct e2b_box *b, struct buf *out);

/* Its description. @age_ms, @ttl_ms  of its session. */
void sandbox_json_put(const struct server *s, struct e2b_box *b, uint64_t age_ms, uint64_t ttl_ms,
		      struct buf *out);

#endif
