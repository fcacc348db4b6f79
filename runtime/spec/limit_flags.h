/*
 * limit_flags - limits that are not plain numbers: lists of CPUs, and ulimits. No side effects.
 */
#ifndef GLOVEBOX_SPEC_LIMIT_FLAGS_H
#define GLOVEBOX_SPEC_LIMIT_FLAGS_H

#include "base/err.h"
#include "spec/spec.h"

/* Parsers of rows. @spec: a struct sandbox_spec. */
int limit_flag_cpuset(void *spec, const char *value, struct err *e);
int limit_flag_ulimit(void *spec, const char *value, struct err *e);

#endif
