/*
 * egress - make sockets of the sandbox's network namespace for glovebox-egress.
 *
 * A socket belongs to the namespace in which it was made, whichever process holds it
 * (network_namespaces(7)). So the step "egress" makes the plan's sockets before foreign code runs,
 * and sends them to glovebox-egress in one message over plan->egress_fd. That process sets up
 * addresses and routes through the NETLINK_ROUTE socket, and then answers with one byte, for which
 * the step waits.
 *
 * Plain data. Runs: written by pid 1 or the program of a cell, read by glovebox-egress. Needs:
 * nothing.
 */
#ifndef GLOVEBOX_INSIDE_EGRESS_H
#define GLOVEBOX_INSIDE_EGRESS_H

#include <stdint.h>

#define EGRESS_INSIDE_PORTS 64  /* most listeners; EGRESS_MAX_PORTS */
#define EGRESS_POOL         128 /* concurrent connections to published ports; a message holds 253 */

/*
 * Descriptors, in this order: NETLINK_ROUTE; if `has_stub` UDP and TCP sockets at port 53; a TCP
 * listener for each port; `pool_count` TCP sockets (AF_INET) that are neither bound nor connected.
 * All are non-blocking. Those at ports are AF_INET6 for both families, or AF_INET where the kernel
 * has no IPv6; the UDP one tells whom a datagram was for (IPV6_RECVPKTINFO; IP_PKTINFO).
 */
struct egress_sockets {
	uint32_t has_stub;
	uint32_t port_count;
	uint32_t pool_count;
	uint32_t is_v4; /* the kernel has no IPv6 */
	uint16_t ports[EGRESS_INSIDE_PORTS];
};

#endif
