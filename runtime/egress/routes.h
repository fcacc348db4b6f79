/*
 * routes - make every address local to a sandbox's network namespace; the only user of libnl.
 *
 * With `local 0.0.0.0/0 dev lo` in the table "local" a connection to any address arrives at the
 * listener of its port in the same namespace (ip-route(8), AnyIP). `lo` gets one address of the
 * synthetic range, because getaddrinfo(3) with AI_ADDRCONFIG overlooks loopback addresses.
 *
 * Runs: glovebox-egress, before it is confined. Needs: to be the owner of the sandbox's user
 * namespace (user_namespaces(7)), and a socket that was made inside with CAP_NET_ADMIN: the kernel
 * checks both (netlink_ns_capable()).
 */
#ifndef GLOVEBOX_EGRESS_ROUTES_H
#define GLOVEBOX_EGRESS_ROUTES_H

#include <stdbool.h>

#include "base/err.h"

/*
 * routes_make - @netlink is a NETLINK_ROUTE socket of that namespace, owned by the call.
 * @with_v6  false: the kernel has no IPv6.
 */
int routes_make(int netlink, bool with_v6, struct err *e);

#endif
