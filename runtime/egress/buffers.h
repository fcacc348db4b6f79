/*
 * buffers - how much of the kernel's memory a connection may hold.
 *
 * What one side does not read waits in queues of the kernel, of the connection inside and of the
 * one outside, and those are ours: charged to nobody inside. Left alone each grows to the machine's
 * tcp_rmem and tcp_wmem, so some hundred clients that do not read hold gigabytes. Small queues for
 * what came cost speed, so a few connections at a time have large ones: over a long way as large as
 * they need, and between two ends on this machine so large that what waits is still in a CPU's
 * cache when it is read.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_BUFFERS_H
#define GLOVEBOX_EGRESS_BUFFERS_H

#include <stdbool.h>

#define BUFFERS_BYTES      (128 << 10) /* of one queue; for what came the kernel takes twice as many */
#define BUFFERS_WIDE_BYTES (1 << 20)   /* of what waits to be sent by one of these */
#define BUFFERS_NEAR_BYTES (256 << 10) /* of what came, where both ends are on this machine */
#define BUFFERS_WIDE       8           /* connections at once that have more than the least */

enum buffers {
	BUFFERS_LEAST,
	BUFFERS_NEAR, /* of a wide connection: to an end on this machine */
	BUFFERS_FAR,  /* and to one somewhere else: what came may need more */
};

/* Which a connection has there. @is_near  the other end is on this machine. */
static inline enum buffers buffers_of(bool is_wide, bool is_near)
{
	if (!is_wide)
		return BUFFERS_LEAST;
	return is_near ? BUFFERS_NEAR : BUFFERS_FAR;
}

/*
 * buffers_bound - no more than BUFFERS_BYTES wait to be sent and to be read; in a wide one
 * BUFFERS_WIDE_BYTES to be sent, and to be read BUFFERS_NEAR_BYTES or what it needs.
 * @fd  borrowed; before connect(2), or just accepted.
 */
void buffers_bound(int fd, enum buffers which);

#endif
