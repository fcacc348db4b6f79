/*
 * chamber_filter - the few system calls that the programs of a chamber do not get.
 *
 *   mount(MS_REMOUNT) and others  what is shown of the host stays read-only: root in there owns
 *                                 the mounts and could change them otherwise
 *   Unix sockets                  in a step that has the host's network: abstract names belong to
 *                                 a network, and its programs could talk to every program of the
 *                                 host that listens on one; socketpair() stays
 *   calls of other ABIs           other tables have other numbers for the same (32 bit's, x32's),
 *   and io_uring                  and io_uring makes sockets without a call
 *
 * Applies to the calling process and everything that it starts.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_FILTER_H
#define GLOVEBOX_ROOTFS_CHAMBER_FILTER_H

#include <stdbool.h>

#include "base/err.h"

/* Needs: CAP_SYS_ADMIN in its user namespace. */
int chamber_filter_apply(bool network, struct err *e);

#endif
