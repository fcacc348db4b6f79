/*
 * program_flags - what runs, as whom, under which names and with which variables.
 *
 * No side effects, but --env-file and --security-opt seccomp=FILE read the
 * file that they name, and -e KEY reads the caller's environment.
 */
#ifndef GLOVEBOX_SPEC_PROGRAM_FLAGS_H
#define GLOVEBOX_SPEC_PROGRAM_FLAGS_H

#include "base/err.h"
#include "spec/spec.h"

int program_flag_env(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_env_file(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_workdir(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_user(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_entrypoint(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_code(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_name(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_hostname(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_cidfile(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_label(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_result_file(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_stop_signal(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_stop_timeout(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_warm(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_pull(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_platform(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_network(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_read_only(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_security(struct sandbox_spec *s, const char *value, struct err *e);
int program_flag_cap_drop(struct sandbox_spec *s, const char *value, struct err *e);

#endif
