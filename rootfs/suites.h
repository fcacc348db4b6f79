/*
 * suites - what is known of a suite by its name.
 *
 * Any suite of any mirror can be built; these are known to be Debian's, whatever the host is. No
 * side effects.
 */
#ifndef GLOVEBOX_ROOTFS_SUITES_H
#define GLOVEBOX_ROOTFS_SUITES_H

#include <stdbool.h>

/* bullseye, bookworm, trixie, forky, sid, ... */
bool suite_is_debians(const char *suite);

/* sid: it has no -updates and no -security beside it. */
bool suite_is_rolling(const char *suite);

#endif
