/*
 * capability - names of capabilities; the only user of libcap-ng.
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_CAPABILITY_H
#define GLOVEBOX_SPEC_CAPABILITY_H

#include <stdbool.h>

/* "NET_RAW", "cap_net_raw" and "ALL" are known. */
bool capability_is_known(const char *name);

#endif
