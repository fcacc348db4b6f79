/*
 * chamber_inputs - open the caller's files to be copied into a chamber.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_INPUTS_H
#define GLOVEBOX_ROOTFS_CHAMBER_INPUTS_H

#include "base/err.h"
#include "chamber_root.h"

/* Open them with the caller's rights: the ids of the build may not be allowed to read them. */
int chamber_inputs_open(struct chamber_root *r, const struct chamber_inputs *inputs, struct err *e);

#endif
