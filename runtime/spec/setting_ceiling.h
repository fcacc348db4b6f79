/*
 * setting_ceiling - how far a caller from elsewhere may go.
 *
 * Rows marked `ceiling` have a largest value. policy/ceiling.json holds those that come with
 * glovebox; whoever runs a server may have a file of his own. It is read by the same rows, into a
 * spec that is nobody's sandbox. A caller may ask for less. What he does not ask for is never more.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_SETTING_CEILING_H
#define GLOVEBOX_SPEC_SETTING_CEILING_H

#include "base/json.h"
#include "spec/setting.h"
#include "spec/spec.h"

/* What may be said of a run in JSON by a caller from elsewhere; limits in "limits". */
struct settings settings_of_caller(struct sandbox_spec *spec);

/*
 * settings_read_ceiling - the largest values.
 *
 * @out  spec_init()ed; what the document does not name is without a ceiling.
 * Errors: ERR_INPUT, naming the key: also one that has no ceiling.
 */
int settings_read_ceiling(const struct json *document, struct sandbox_spec *out, struct err *e);

/*
 * settings_check_ceiling - refuse what was asked for beyond it, and lower defaults that lie beyond.
 *
 * @asked  read by settings_of_caller(), before spec_finish().
 * Errors: ERR_LIMIT: "limits.memory": 4g is more than the ceiling of 2g.
 */
int settings_check_ceiling(struct sandbox_spec *asked, const struct sandbox_spec *ceiling,
			   struct err *e);

#endif
