/*
 * setting_ceiling - bound what a remote caller may ask for.
 *
 * Rows marked `ceiling` have a largest value. policy/ceiling.json holds the defaults; a server's
 * operator may name another file, and the machine's administrator has spec/policy.h. The same rows
 * read it, into a spec that never runs. A caller may ask for less; defaults beyond the ceiling are
 * lowered to it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_SETTING_CEILING_H
#define GLOVEBOX_SPEC_SETTING_CEILING_H

#include "base/json.h"
#include "spec/setting.h"
#include "spec/spec.h"

/* The rows that a remote caller may set for a run in JSON; limits stand in "limits". */
struct settings settings_of_caller(struct sandbox_spec *spec);

/* The field of a row that has a ceiling; SPEC_UNLIMITED: no ceiling. */
uint64_t *setting_ceiling_field(const void *target, const struct setting *row);

/*
 * settings_read_ceiling - read the largest values.
 *
 * @out  spec_init()ed; rows that the document does not name have no ceiling.
 * Errors: ERR_INPUT, naming the key.
 */
int settings_read_ceiling(const struct json *document, struct sandbox_spec *out, struct err *e);

/*
 * Read the same document with additional members, all of them numbers with a ceiling.
 * @more  its rows have FACE_SERVE; its target needs no initialization.
 */
int settings_read_ceiling_with(const struct json *document, struct sandbox_spec *out,
			       struct setting_table more, struct err *e);

/*
 * settings_check_ceiling - refuse a request beyond the ceiling, and lower defaults that exceed it.
 *
 * @asked  read by settings_of_caller(), before spec_finish().
 * Errors: ERR_LIMIT: "limits.memory": 4g is more than the ceiling of 2g.
 */
int settings_check_ceiling(struct sandbox_spec *asked, const struct sandbox_spec *ceiling,
			   struct err *e);

/*
 * Refuse a value with ERR_LIMIT, in the words above.
 *
 * @name   as it was given: "limits.memory" in quotes, --memory
 * @where  appended: whose ceiling it is; or ""
 * Returns -1.
 */
int setting_ceiling_refuse(const char *name, const struct setting *row, uint64_t asked,
			   uint64_t largest, const char *where, struct err *e);

/* Check the rows of an additional table. @ceiling: a target of that table. */
int settings_check_ceiling_of(struct setting_table asked, const void *ceiling, struct err *e);

#endif
