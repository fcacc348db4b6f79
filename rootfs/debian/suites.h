/*
 * suites - facts about suites, by name.
 *
 * Any suite of any mirror can be built; these belong to Debian, on every host. No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_SUITES_H
#define GLOVEBOX_ROOTFS_DEBIAN_SUITES_H

#include <stdbool.h>

/* bullseye, bookworm, trixie, forky, sid, ... */
bool suite_is_debians(const char *suite);

/* sid: it has neither -updates nor -security. */
bool suite_is_rolling(const char *suite);

#endif
