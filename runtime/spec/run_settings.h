/*
 * run_settings - every flag of `glovebox run` that shapes the sandbox, one row each.
 *
 * No side effects, but for the files that a value names.
 */
#ifndef GLOVEBOX_SPEC_RUN_SETTINGS_H
#define GLOVEBOX_SPEC_RUN_SETTINGS_H

#include "spec/setting.h"
#include "spec/spec.h"

extern const struct setting run_settings[]; /* ends with a null name */

/* The rows, bound to a spec; NULL: unbound, for help texts. */
struct setting_table run_settings_table(struct sandbox_spec *s);

#endif
