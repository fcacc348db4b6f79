/*
 * chamber_network - the network of a step that may reach some hosts: glovebox-egress serves it.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_NETWORK_H
#define GLOVEBOX_ROOTFS_CHAMBER_NETWORK_H

#include "host/egress.h"

/* Start it, before the chamber; end with egress_end(). ERR_UNSUPPORTED: it is not installed. */
int chamber_network_start(const struct egress_spec *spec, struct egress *out, struct err *e);

/* Say on stderr what it has refused to a step that failed. @x  none, too. */
void chamber_network_explain(const struct egress *x);

#endif
