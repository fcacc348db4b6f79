/*
 * program_flags - flags for the program, its user, its names and its variables.
 *
 * No side effects, except that --env-file and --security-opt seccomp=FILE read the file that they
 * name, and -e KEY reads the caller's environment.
 */
#ifndef GLOVEBOX_SPEC_PROGRAM_FLAGS_H
#define GLOVEBOX_SPEC_PROGRAM_FLAGS_H

#include "base/err.h"
#include "spec/spec.h"

/* Parsers of rows. @spec: a struct sandbox_spec. */
int program_flag_env(void *spec, const char *value, struct err *e);
int program_flag_env_file(void *spec, const char *value, struct err *e);
int program_flag_workdir(void *spec, const char *value, struct err *e);
int program_flag_user(void *spec, const char *value, struct err *e);
int program_name_check(const char *name, struct err *e); /* what a sandbox may be called */
int program_flag_name(void *spec, const char *value, struct err *e);
int program_flag_hostname(void *spec, const char *value, struct err *e);
int program_flag_signal(void *out_number, const char *value,
			struct err *e); /* an int, by name or number */
int program_flag_stop_signal(void *spec, const char *value, struct err *e);
int program_flag_pull(void *spec, const char *value, struct err *e);
int program_flag_platform(void *spec, const char *value, struct err *e);
int program_flag_network(void *spec, const char *value, struct err *e);
int program_flag_remove(void *spec, const char *value, struct err *e);
int program_flag_read_only(void *spec, const char *value, struct err *e);
int program_flag_security(void *spec, const char *value, struct err *e);
int program_flag_cap_drop(void *spec, const char *value, struct err *e);

#endif
