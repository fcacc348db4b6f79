/*
 * pace - send inside as fast as the program reads.
 *
 * A host may have chosen BBR, for its way to the Internet (net.ipv4.tcp_congestion_control). That
 * estimates what a path carries and spreads its packets over time with a timer for each burst;
 * between two ends of one loopback this costs more than half as much again as sending them.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_PACE_H
#define GLOVEBOX_EGRESS_PACE_H

/*
 * pace_none - do not pace what is sent there.
 *
 * @fd  borrowed; a socket of the sandbox's namespace. What a listener accepts inherits it.
 * Where it cannot be set it stays slower.
 */
void pace_none(int fd);

#endif
