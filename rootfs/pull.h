/*
 * pull - fetch images from a registry.
 */
#ifndef GLOVEBOX_ROOTFS_PULL_H
#define GLOVEBOX_ROOTFS_PULL_H

#include "base/err.h"

/* Fetch an image into the store, under its own name (fetched.h). */
int pull_image(const char *name, struct err *e);

#endif
