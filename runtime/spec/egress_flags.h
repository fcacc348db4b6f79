/*
 * egress_flags - --egress, --allow-private, --allow-host and -p into the network of a spec.
 *
 * No side effects, but for the files of presets (netpolicy/egress_preset.h).
 */
#ifndef GLOVEBOX_SPEC_EGRESS_FLAGS_H
#define GLOVEBOX_SPEC_EGRESS_FLAGS_H

#include "base/err.h"

/* Parsers of rows. @spec: a struct sandbox_spec. */
int egress_flag_list(void *spec, const char *value, struct err *e);
int egress_flag_private(void *spec, const char *value, struct err *e);
int egress_flag_host(void *spec, const char *value, struct err *e);
int egress_flag_publish(void *spec, const char *value, struct err *e);
int egress_flag_publish_rm(void *spec, const char *value, struct err *e);

#endif
