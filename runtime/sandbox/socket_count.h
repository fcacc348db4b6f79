/*
 * socket_count - count a sandbox's sockets from outside while it runs.
 *
 * Some socket memory escapes every limit, on v1 and v2 alike. The kernel charges a connection and
 * its queued bytes to a control group at accept(); before that they belong to none, even after the
 * sender has died. The same holds for error queues and multicast memberships. These need no
 * descriptor, so RLIMIT_NOFILE does not count them, but the network namespace does. The answers
 * queued in a netlink socket, which profiles other than ours may allow, are not charged either, so
 * it counts as four sockets, or more if net.core.rmem_default is larger than the kernel's own.
 *
 * Runs: the process that drives the sandbox (monitor or client); the supervisor for idle sessions.
 * Needs: to see its pid 1 in /proc.
 */
#ifndef GLOVEBOX_SANDBOX_SOCKET_COUNT_H
#define GLOVEBOX_SANDBOX_SOCKET_COUNT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "spec/spec.h"

struct socket_count {
	int pidfd;      /* of pid 1; borrowed */
	int place;      /* owned: its /proc/PID/net; -1: use its number */
	int fd;         /* owned: sockstat; -1 before the first check */
	int netlink_fd; /* owned: the list of netlink sockets; -1 while there are few sockets */
	unsigned netlink_weight; /* sockets that a netlink socket counts as; 0: unknown yet */
	uint64_t most;           /* one per 64 KiB of the memory limit, at least 1,024 */
	uint64_t next_us;        /* monotonic time of the next check; UINT64_MAX: never */
};

/* No check is due, nothing is owned. */
struct socket_count socket_count_none(void);

/*
 * socket_count_of - the same, but find pid 1 now, while we may still see it: under hidepid, root
 * needs CAP_SYS_PTRACE for that, which `glovebox run` gives up before the first check.
 * @pid  our child. 0, or as an ordinary user: find it at the first check.
 */
struct socket_count socket_count_of(pid_t pid);

/*
 * Count from now on, ten times a second. Call it when pid 1 is in its network namespace, and when
 * the memory limit has changed. Without one it counts nothing.
 */
void socket_count_start(struct socket_count *c, int pidfd, uint64_t memory_bytes);

/*
 * socket_count_look - count if a check is due.
 *
 * Returns 1: too many; 0: not (also when pid 1 has just died); -1: they cannot be counted, and the
 * sandbox must be ended, too. Never waits.
 */
int socket_count_look(struct socket_count *c, uint64_t now_us, struct err *e);

/*
 * socket_count_counters - open the counters of a cell's network (sandbox/network_tried.h), as
 * socket_count_look() opens its files. @pidfd: of pid 1; borrowed. -1: it is hidden, or gone.
 */
int socket_count_counters(int pidfd);

/* Release what it owns. */
void socket_count_end(struct socket_count *c);

#endif
