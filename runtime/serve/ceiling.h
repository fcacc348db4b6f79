/*
 * ceiling - the most that one run, and all that a key has, may be.
 *
 * A document like policy/ceiling.json: limits of a run by the rows that they are asked for with
 * (spec/setting_ceiling.h), and quotas beside them (serve/quota.h):
 *
 *   {"limits": {"memory": "1g", "cpus": 2, "timeout": "1m"}, "concurrency": 4, "sessions": 2,
 *    "requests_per_minute": 120, "storage": "1g", "ttl": "1h"}
 *
 * Ceilings lie below each other: that which comes with glovebox, the server's, a key's. One that is
 * looser than that above it is a mistake and is refused; what it does not name is that above it.
 *
 * Runs: serve. Needs: read access to the file, where there is one.
 */
#ifndef GLOVEBOX_SERVE_CEILING_H
#define GLOVEBOX_SERVE_CEILING_H

#include "base/json.h"
#include "serve/quota.h"
#include "spec/spec.h"

struct ceiling {
	struct sandbox_spec run; /* for settings_check_ceiling() */
	struct quota quota;
};

/*
 * ceiling_init - policy/ceiling.json, as it was when we were built. End it with ceiling_fini().
 * It has no quotas: they are unlimited.
 */
void ceiling_init(struct ceiling *c);
void ceiling_fini(struct ceiling *c);

/*
 * ceiling_read - one that somebody gave.
 *
 * @document  NULL: nothing; *out is then that above it.
 * @above     NULL: nothing lies above it, and what it does not name is unlimited.
 * @out       always to be ended with ceiling_fini().
 * Errors: ERR_INPUT, ERR_LIMIT for one that is looser; both name the member.
 */
int ceiling_read(const struct json *document, const struct ceiling *above, struct ceiling *out,
		 struct err *e);

/* ceiling_load - the same from a file, which is judged (serve/document.h) and named in errors. */
int ceiling_load(const char *path, const struct ceiling *above, struct ceiling *out, struct err *e);

#endif
