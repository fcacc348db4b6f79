/*
 * egress_proxy_flag - --egress-proxy, and the file with its default.
 *
 * No side effects, but for that file: proxy.url in a directory of lists
 * (netpolicy/egress_preset.h).
 */
#ifndef GLOVEBOX_SPEC_EGRESS_PROXY_FLAG_H
#define GLOVEBOX_SPEC_EGRESS_PROXY_FLAG_H

#include "spec/spec.h"

#define EGRESS_PROXY_FILE "proxy.url" /* a list cannot have this name */

/* The row's parser. @value: a URL (netpolicy/egress_proxy.h), or "none". */
int egress_flag_proxy(void *spec, const char *value, struct err *e);

/*
 * egress_proxy_finish - without the flag, proxy.url holds for a sandbox that has a list.
 *
 * The environment (HTTPS_PROXY) is ignored: an exported variable must not route a sandbox's
 * connections.
 * Errors: ERR_INPUT: the flag without a list, or an invalid file, which is named; ERR_SYSTEM.
 */
int egress_proxy_finish(struct sandbox_spec *s, struct err *e);

#endif
