/*
 * socket_count - how many sockets a sandbox has, looked at from outside while it runs.
 *
 * What no limit of memory holds, on v1 and v2 alike, hangs on sockets: a connection that nobody
 * has accepted belongs to no control group yet, with what was sent to it (charged at accept()
 * only), though whoever sent it is long gone; so do error queues and multicast memberships. They
 * need no descriptor, so RLIMIT_NOFILE does not count them. The network namespace does.
 *
 * Runs: whoever drives the sandbox. Needs: to see its pid 1 in /proc.
 */
#ifndef GLOVEBOX_HOST_SOCKET_COUNT_H
#define GLOVEBOX_HOST_SOCKET_COUNT_H

#include <stdint.h>

#include "base/err.h"
#include "spec/spec.h"

struct socket_count {
	int pidfd;        /* of pid 1; borrowed */
	int fd;           /* owned; -1 before the first look */
	uint64_t most;    /* one for each 64 KiB of the limit of memory, 1,024 at least */
	uint64_t next_us; /* monotonic: when to look; UINT64_MAX: never */
};

/* Nothing is looked at, nothing owned. */
struct socket_count socket_count_none(void);

/* From now on, ten times a second. To be called when pid 1 is in its network namespace; without a
 * limit of memory nothing is looked at. */
void socket_count_start(struct socket_count *c, int pidfd, uint64_t memory_bytes);

/*
 * socket_count_look - when it is time to.
 *
 * Returns 1 when there are too many, 0 when not (also when pid 1 has just died), -1 when it cannot
 * be told: the sandbox is then to be ended, too. Never waits.
 */
int socket_count_look(struct socket_count *c, uint64_t now_us, struct err *e);

void socket_count_end(struct socket_count *c);

#endif
