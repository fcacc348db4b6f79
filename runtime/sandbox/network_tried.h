/*
 * network_tried - tell whether a program looked for a network that its sandbox does not have.
 *
 * The kernel counts for each network namespace the packets that it could not route
 * (/proc/PID/net/snmp, Ip: OutNoRoutes), and the datagrams for ports without a listener (Udp:
 * NoPorts): without a name server libc asks 127.0.0.1:53 (resolv.conf(5)). A C library that is
 * configured to read files only sends no query, and goes unnoticed. Pid 1 opens the file before the
 * program starts (inside/admission.c), for a cell its client does (client/lease.c).
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_SANDBOX_NETWORK_TRIED_H
#define GLOVEBOX_SANDBOX_NETWORK_TRIED_H

#include <stdbool.h>

/* @fd: of that file, which keeps the namespace; borrowed. -1: unknown, and false. */
bool network_tried(int fd);

#endif
