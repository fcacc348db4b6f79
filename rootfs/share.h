/*
 * share - where recipes and hooks are.
 *
 * Runs: glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_ROOTFS_SHARE_H
#define GLOVEBOX_ROOTFS_SHARE_H

#include <limits.h>

#include "base/err.h"

/* Installed beside bin/, or in the checkout that this program was built in. ERR_INPUT: neither. */
int share_find(char out[PATH_MAX], struct err *e);

#endif
