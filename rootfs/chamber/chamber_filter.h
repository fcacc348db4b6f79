/*
 * chamber_filter - refuse a few system calls to the programs of a chamber.
 *
 *   mount(MS_REMOUNT) and others  the host's files stay read-only: root in there owns the mounts
 *   and could change them otherwise
 *   Unix sockets                  in a step with the host's network: abstract names belong to a
 *   network namespace, so its programs could reach every listener of the host; socketpair() stays
 *   calls of other ABIs           their tables have other numbers for the same calls (32 bit, x32),
 *   and io_uring                  and io_uring makes sockets without a call
 *
 * Applies to the calling process and everything that it starts.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_FILTER_H
#define GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_FILTER_H

#include <stdbool.h>

#include "base/err.h"

/* Needs: CAP_SYS_ADMIN in its user namespace. */
int chamber_filter_apply(bool network, struct err *e);

#endif
