/*
 * limits_check - judge limits that did not come as flags: from a file, or from another process.
 *
 * No side effects. Runs: anywhere outside.
 */
#ifndef GLOVEBOX_SPEC_LIMITS_CHECK_H
#define GLOVEBOX_SPEC_LIMITS_CHECK_H

#include "spec/spec.h"

/*
 * limits_check - whether flags can lead to the limits that `update` changes, as their rows bound
 * them (spec/run_settings.h).
 * Errors: ERR_INPUT, which names the flag.
 */
int limits_check(const struct limits *l, struct err *e);

#endif
