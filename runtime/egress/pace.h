/*
 * pace - send inside as fast as the program reads.
 *
 * A host may use BBR for its path to the Internet (net.ipv4.tcp_congestion_control). BBR estimates
 * a path's bandwidth and paces packets with a timer for each burst; over loopback this costs more
 * than half as much again as sending them.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_PACE_H
#define GLOVEBOX_EGRESS_PACE_H

/*
 * pace_none - do not pace the packets of a socket.
 *
 * @fd  borrowed; a socket of the sandbox's namespace. Accepted sockets inherit it from their
 *      listener. If it cannot be set, the connection is slower.
 */
void pace_none(int fd);

#endif
