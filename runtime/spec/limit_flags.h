/*
 * limit_flags - limits that are no mere number: lists of CPUs, and ulimits.
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_LIMIT_FLAGS_H
#define GLOVEBOX_SPEC_LIMIT_FLAGS_H

#include "base/err.h"
#include "spec/spec.h"

/* What a row's own parser takes: @spec is a struct sandbox_spec. */
int limit_flag_cpuset(void *spec, const char *value, struct err *e);
int limit_flag_ulimit(void *spec, const char *value, struct err *e);

#endif
