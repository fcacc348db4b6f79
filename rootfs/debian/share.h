/*
 * share - find the recipes and hooks.
 *
 * Runs: glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_SHARE_H
#define GLOVEBOX_ROOTFS_DEBIAN_SHARE_H

#include <limits.h>

#include "base/err.h"

/*
 * The directory beside bin/ of an installation, or the checkout in which this program was built.
 * ERR_INPUT: neither exists.
 */
int share_find(char out[PATH_MAX], struct err *e);

#endif
