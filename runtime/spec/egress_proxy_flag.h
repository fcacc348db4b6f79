/*
 * egress_proxy_flag - --egress-proxy, and the file that says it for every run.
 *
 * No side effects, but for that file: proxy.url in a directory of lists (spec/egress_preset.h).
 */
#ifndef GLOVEBOX_SPEC_EGRESS_PROXY_FLAG_H
#define GLOVEBOX_SPEC_EGRESS_PROXY_FLAG_H

#include "spec/spec.h"

#define EGRESS_PROXY_FILE "proxy.url" /* no list can have this name */

/* What the row's own parser takes: a URL (spec/egress_proxy.h), or "none". */
int egress_flag_proxy(void *spec, const char *value, struct err *e);

/*
 * egress_proxy_finish - where a sandbox has a list and nobody gave the flag, the file decides.
 *
 * The environment decides nothing (HTTPS_PROXY): which way a sandbox's connections go is no matter
 * of who has exported what.
 * Errors: ERR_INPUT: a flag without a list, or a file that is wrong, which is named; ERR_SYSTEM.
 */
int egress_proxy_finish(struct sandbox_spec *s, struct err *e);

#endif
