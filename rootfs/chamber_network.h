/*
 * chamber_network - start glovebox-egress for a step that may reach some hosts.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_NETWORK_H
#define GLOVEBOX_ROOTFS_CHAMBER_NETWORK_H

#include "host/egress.h"

/* Start it before the chamber; end with egress_end(). ERR_UNSUPPORTED: it is not installed. */
int chamber_network_start(const struct egress_spec *spec, struct egress *out, struct err *e);

/* Print on stderr what it refused to a failed step. @x: may be none. */
void chamber_network_explain(const struct egress *x);

#endif
