/*
 * routes - make every address local to a sandbox's network namespace.
 */
#include "egress/routes.h"

#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <netlink/socket.h>
#include <unistd.h>

#define ROUTES_LO 1 /* the index of lo in every network namespace */

struct routes_family {
	const char *everything;
	const char *own; /* of lo */
	int family;
};

static const struct routes_family routes_v4 = {"0.0.0.0/0", "198.18.0.1/32", AF_INET};
static const struct routes_family routes_v6 = {"::/0", "fd67:6c6f:7665:6278::1/128", AF_INET6};

static int routes_add_address(struct nl_sock *sock, const struct routes_family *f)
{
	struct rtnl_addr *address = rtnl_addr_alloc();
	struct nl_addr *own = NULL;
	int n = nl_addr_parse(f->own, f->family, &own);

	rtnl_addr_set_ifindex(address, ROUTES_LO);
	if (!n)
		n = rtnl_addr_set_local(address, own);
	if (!n)
		n = rtnl_addr_add(sock, address, 0);
	nl_addr_put(own);
	rtnl_addr_put(address);
	return n;
}

static int routes_add_route(struct nl_sock *sock, const struct routes_family *f)
{
	struct rtnl_route *route = rtnl_route_alloc();
	struct rtnl_nexthop *hop = rtnl_route_nh_alloc();
	struct nl_addr *everything = NULL;
	int n = nl_addr_parse(f->everything, f->family, &everything);

	rtnl_route_set_table(route, RT_TABLE_LOCAL);
	rtnl_route_set_scope(route, RT_SCOPE_HOST);
	rtnl_route_nh_set_ifindex(hop, ROUTES_LO);
	rtnl_route_add_nexthop(route, hop); /* the route owns the hop from here on */
	if (!n)
		n = rtnl_route_set_type(route, RTN_LOCAL);
	if (!n)
		n = rtnl_route_set_dst(route, everything);
	if (!n)
		n = rtnl_route_add(sock, route, 0);
	nl_addr_put(everything);
	rtnl_route_put(route);
	return n;
}

static int routes_add(struct nl_sock *sock, const struct routes_family *f, struct err *e)
{
	int n = routes_add_address(sock, f);

	if (!n)
		n = routes_add_route(sock, f);
	return n ? err_set(e, ERR_SYSTEM, "set up the sandbox's routes: %s", nl_geterror(n)) : 0;
}

int routes_make(int netlink, bool with_v6, struct err *e)
{
	struct nl_sock *sock = nl_socket_alloc();
	int n;

	if (!sock) {
		close(netlink);
		return err_set(e, ERR_LIMIT, "set up the sandbox's routes: out of memory");
	}
	if (nl_socket_set_fd(sock, NETLINK_ROUTE, netlink)) {
		nl_socket_free(sock);
		close(netlink);
		return err_set(e, ERR_SYSTEM, "set up the sandbox's routes: its socket is none");
	}
	n = routes_add(sock, &routes_v4, e) || (with_v6 && routes_add(sock, &routes_v6, e)) ? -1
											    : 0;
	nl_socket_free(sock); /* closes the descriptor, too */
	return n;
}
