/*
 * ceiling - the upper bounds of one run, and of all that a key has.
 *
 * A document like policy/ceiling.json: limits of a run, under the names by which a request sets
 * them (spec/setting_ceiling.h), and quotas beside them (tenant/quota.h):
 *
 *   {"limits": {"memory": "1g", "cpus": 2, "timeout": "1m"}, "concurrency": 4, "sessions": 2,
 *    "requests_per_minute": 120, "storage": "1g", "ttl": "1h", "egress": ["pypi.org"]}
 *
 * Ceilings form a chain: the one shipped with glovebox, the server's, the key's. A ceiling that is
 * looser than the one above it is refused; a missing member is inherited. Where no ceiling has
 * "egress", nothing may be reached.
 *
 * Runs: serve. Needs: read access to the file, where there is one.
 */
#ifndef GLOVEBOX_TENANT_CEILING_H
#define GLOVEBOX_TENANT_CEILING_H

#include "base/json.h"
#include "spec/spec.h"
#include "tenant/quota.h"

struct ceiling {
	struct sandbox_spec run; /* for settings_check_ceiling(); `egress`: for egress_within() */
	struct quota quota;
};

/*
 * ceiling_init - policy/ceiling.json, as compiled in. End it with ceiling_fini().
 * It sets no quotas: they are unlimited.
 */
void ceiling_init(struct ceiling *c);
void ceiling_fini(struct ceiling *c);

/*
 * ceiling_read - read a ceiling of the operator.
 *
 * @document  NULL: *out inherits everything from @above.
 * @above     NULL: none; a missing member is unlimited.
 * @out       end it with ceiling_fini(), after an error as well.
 * Errors: ERR_INPUT; ERR_LIMIT: it is looser than @above; both name the member.
 */
int ceiling_read(const struct json *document, const struct ceiling *above, struct ceiling *out,
		 struct err *e);

/*
 * ceiling_load - read a ceiling from a file, which is judged (fs/document.h) and named in
 * errors.
 */
int ceiling_load(const char *path, const struct ceiling *above, struct ceiling *out, struct err *e);

#endif
