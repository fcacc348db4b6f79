/*
 * limit_flags - memory, cpu, pids, time and ulimits into struct limits.
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_LIMIT_FLAGS_H
#define GLOVEBOX_SPEC_LIMIT_FLAGS_H

#include "base/err.h"
#include "spec/spec.h"

int limit_flag_memory(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_memory_swap(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_cpus(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_cpu_period(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_cpu_quota(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_cpuset(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_pids(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_timeout(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_cpu_time(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_output(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_shm(struct sandbox_spec *s, const char *value, struct err *e);
int limit_flag_ulimit(struct sandbox_spec *s, const char *value, struct err *e);

#endif
