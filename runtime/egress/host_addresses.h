/*
 * host_addresses - which addresses are this host's own.
 *
 * A name of the list that leads back here would reach services that trust the host, by whatever
 * public address it has. Those are for --allow-host.
 *
 * Touches the OS. Runs: glovebox-egress, before it is confined. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_HOST_ADDRESSES_H
#define GLOVEBOX_EGRESS_HOST_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/address.h"
#include "base/err.h"

struct host_addresses {
	struct address *items; /* owned */
	size_t count;
};

/* host_addresses_read - those that there are now; the ones that come later are not known. */
int host_addresses_read(struct host_addresses *out, struct err *e);

/* Whether it is one of them. */
bool host_addresses_have(const struct host_addresses *h, const struct address *a);

/* Frees them. */
void host_addresses_fini(struct host_addresses *h);

#endif
