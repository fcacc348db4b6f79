/*
 * rootless - check whether an ordinary user can build a Debian root here.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_ROOTLESS_H
#define GLOVEBOX_ROOTFS_CHAMBER_ROOTLESS_H

#include "base/err.h"

/*
 * rootless_check - check a chamber's (chamber.h) requirements for an ordinary user: user
 * namespaces, newuidmap, ranges of ids. ERR_UNSUPPORTED names the missing one and the
 * administrator's remedy.
 */
int rootless_check(struct err *e);

#endif
