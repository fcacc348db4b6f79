/*
 * core_pattern - keep the host's core_pattern program away from a sandbox's crashes.
 *
 * The kernel runs that program as root and outside of every limit (core(5)).
 *
 * Runs: monitor, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_CORE_PATTERN_H
#define GLOVEBOX_HOST_CORE_PATTERN_H

#include <stdbool.h>
#include <sys/resource.h>

#include "base/err.h"

/* Whether this host pipes crashes to a program. */
bool core_pattern_is_program(void);

/*
 * core_pattern_check - whether a crash with this RLIMIT_CORE would start that program.
 *
 * Only SPEC_NO_CORE prevents that. A higher limit (--ulimit) starts the program; so does an
 * inherited hard limit of 0, which cannot be raised.
 * Errors: ERR_UNSUPPORTED with the remedy.
 */
int core_pattern_check(const struct rlimit *core, struct err *e);

#endif
