/*
 * rootless - can an ordinary user build a Debian root here?
 */
#ifndef GLOVEBOX_ROOTFS_ROOTLESS_H
#define GLOVEBOX_ROOTFS_ROOTLESS_H

#include "base/err.h"

/*
 * rootless_check - what a chamber (chamber.h) needs for an ordinary user: user namespaces,
 * newuidmap, ranges of ids. ERR_UNSUPPORTED names what is missing and what the administrator can
 * do.
 */
int rootless_check(struct err *e);

#endif
