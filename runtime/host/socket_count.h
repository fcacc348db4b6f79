/*
 * socket_count - how many sockets a sandbox has, counted from outside while it runs.
 *
 * Some memory of sockets escapes every limit, on v1 and v2 alike. A connection that nobody has
 * accepted belongs to no control group yet, nor does what was sent to it (both are charged at
 * accept()), even after the sender has died; the same holds for error queues and multicast
 * memberships. They need no descriptor, so RLIMIT_NOFILE does not count them. The network namespace
 * does. The answers that wait in a netlink socket, which another profile than ours may open, are
 * charged to nobody either, so it counts as four, or more where net.core.rmem_default is larger
 * than the kernel's own.
 *
 * Runs: the process that drives the sandbox (monitor or client); the supervisor for idle sessions.
 * Needs: to see its pid 1 in /proc.
 */
#ifndef GLOVEBOX_HOST_SOCKET_COUNT_H
#define GLOVEBOX_HOST_SOCKET_COUNT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "spec/spec.h"

struct socket_count {
	int pidfd;      /* of pid 1; borrowed */
	int place;      /* owned: its /proc/PID/net, or -1: by its number */
	int fd;         /* owned: sockstat; -1 before the first look */
	int netlink_fd; /* owned: the list of netlink sockets; -1 while there are few of any */
	unsigned netlink_weight; /* as how many a netlink socket counts; 0 before the first look */
	uint64_t most;           /* one per 64 KiB of the memory limit, at least 1,024 */
	uint64_t next_us;        /* monotonic: the next look; UINT64_MAX: never */
};

/* No look is due, nothing is owned. */
struct socket_count socket_count_none(void);

/*
 * socket_count_of - the same, but pid 1 is found already, while we may still see it: below hidepid,
 * root needs CAP_SYS_PTRACE for that, which `glovebox run` gives up before the first look.
 * @pid  a child of ours. 0, or as an ordinary user: it is found at the first look.
 */
struct socket_count socket_count_of(pid_t pid);

/*
 * Count from now on, ten times a second. Call it when pid 1 is in its network namespace; without a
 * memory limit nothing is counted.
 */
void socket_count_start(struct socket_count *c, int pidfd, uint64_t memory_bytes);

/*
 * socket_count_look - count if a look is due.
 *
 * Returns 1 when there are too many, 0 when not (also when pid 1 has just died), -1 when they
 * cannot be counted: then the sandbox must be ended, too. Never waits.
 */
int socket_count_look(struct socket_count *c, uint64_t now_us, struct err *e);

/*
 * socket_count_counters - open what the network of a cell has counted (host/unrouted.h), as
 * socket_count_look() opens its files. @pidfd  of pid 1; borrowed. -1: it is hidden, or gone.
 */
int socket_count_counters(int pidfd);

/* Release what it owns. */
void socket_count_end(struct socket_count *c);

#endif
