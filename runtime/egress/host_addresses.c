/*
 * host_addresses - the addresses of this host.
 */
#include "egress/host_addresses.h"

#include <ifaddrs.h>
#include <stdlib.h>

#include "base/own.h"
#include "net/socket_address.h"

int host_addresses_read(struct host_addresses *out, struct err *e)
{
	struct ifaddrs *all = NULL;

	*out = (struct host_addresses){0};
	if (getifaddrs(&all))
		return err_sys(e, "list this host's addresses");
	for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
		out->items = own_grow(out->items, out->count, sizeof(*out->items));
		if (at->ifa_addr && !socket_address_take(at->ifa_addr, &out->items[out->count]))
			out->count++;
	}
	freeifaddrs(all);
	return 0;
}

bool host_addresses_have(const struct host_addresses *h, const struct address *a)
{
	struct address inner; /* behind a translator (NAT64) */

	address_canonical(a, &inner);
	for (size_t i = 0; i < h->count; i++) {
		if (address_equal(&h->items[i], a) || address_equal(&h->items[i], &inner))
			return true;
	}
	return false;
}

void host_addresses_fini(struct host_addresses *h)
{
	free(h->items);
	*h = (struct host_addresses){0};
}
