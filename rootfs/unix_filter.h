/*
 * unix_filter - no sockets of Unix for a step that has the host's network.
 *
 * Abstract names belong to a network namespace: whoever shares the host's could talk to every
 * program of the host that listens on one. socketpair() stays. Applies to the calling process
 * and all that it starts, whatever they execute.
 */
#ifndef GLOVEBOX_ROOTFS_UNIX_FILTER_H
#define GLOVEBOX_ROOTFS_UNIX_FILTER_H

#include "base/err.h"

/* Needs: CAP_SYS_ADMIN in its user namespace. */
int unix_filter_apply(struct err *e);

#endif
