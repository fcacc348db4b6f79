/*
 * host_addresses - the addresses of this host.
 *
 * A listed name that resolves to this host, even at a public address, would reach services that
 * trust the host. Only --allow-host allows those.
 *
 * Touches the OS. Runs: glovebox-egress, before it is confined. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_HOST_ADDRESSES_H
#define GLOVEBOX_EGRESS_HOST_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "net/address.h"

struct host_addresses {
	struct address *items; /* owned */
	size_t count;
};

/* host_addresses_read - read the current addresses; later ones are not noticed. */
int host_addresses_read(struct host_addresses *out, struct err *e);

/* Whether the host has this address. */
bool host_addresses_have(const struct host_addresses *h, const struct address *a);

/* Free the list. */
void host_addresses_fini(struct host_addresses *h);

#endif
