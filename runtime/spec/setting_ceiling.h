/*
 * setting_ceiling - how far a caller from elsewhere may go.
 *
 * Rows marked `ceiling` have a largest value. policy/ceiling.json holds those that come with
 * glovebox; whoever runs a server may have a file of his own, and whoever runs the machine has
 * spec/policy.h. It is read by the same rows, into a spec that is nobody's sandbox. A caller may
 * ask for less. What he does not ask for is never more.
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

/* What a row that has a ceiling holds in the struct that its table fills; SPEC_UNLIMITED: anything.
 */
uint64_t *setting_ceiling_field(const void *target, const struct setting *row);

/*
 * settings_read_ceiling - the largest values.
 *
 * @out  spec_init()ed; what the document does not name is without a ceiling.
 * Errors: ERR_INPUT, naming the key.
 */
int settings_read_ceiling(const struct json *document, struct sandbox_spec *out, struct err *e);

/*
 * The same document with members more, all of which are numbers and have a ceiling.
 * @more  its rows have FACE_SERVE, and its target needs no initialization.
 */
int settings_read_ceiling_with(const struct json *document, struct sandbox_spec *out,
			       struct setting_table more, struct err *e);

/*
 * settings_check_ceiling - refuse what was asked for beyond it, and lower defaults that lie beyond.
 *
 * @asked  read by settings_of_caller(), before spec_finish().
 * Errors: ERR_LIMIT: "limits.memory": 4g is more than the ceiling of 2g.
 */
int settings_check_ceiling(struct sandbox_spec *asked, const struct sandbox_spec *ceiling,
			   struct err *e);

/*
 * Refuse a value: *e is ERR_LIMIT, in the words above. @name  as it was given: "limits.memory" in
 * quotes, --memory. @where  behind it: whose ceiling; "". Returns -1.
 */
int setting_ceiling_refuse(const char *name, const struct setting *row, uint64_t asked,
			   uint64_t largest, const char *where, struct err *e);

/* The same for the rows of such another table. @ceiling  a target of it. */
int settings_check_ceiling_of(struct setting_table asked, const void *ceiling, struct err *e);

#endif
