/*
 * unrouted - whether a program has looked for a network that its sandbox has not.
 *
 * The kernel counts for each network namespace what it could not route (/proc/PID/net/snmp, Ip:
 * OutNoRoutes), and the datagrams for ports on which nobody listens (Udp: NoPorts): without a name
 * server libc asks 127.0.0.1:53 (resolv.conf(5)). A C library that is told to look into files only
 * asks nobody, and is not seen. The file is opened before the program begins: by pid 1
 * (inside/admission.c), and of a cell by its client (client/lease.c).
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_UNROUTED_H
#define GLOVEBOX_HOST_UNROUTED_H

#include <stdbool.h>

/* @fd  of that file, which keeps the namespace; borrowed. -1: nothing is known. */
bool unrouted_has_tried(int fd);

#endif
