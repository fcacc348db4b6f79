/*
 * buffers - bound the kernel memory that a connection may hold.
 *
 * Bytes that one side does not read wait in the kernel's queues of the inner and the outer socket.
 * Both sockets are ours, so no control group of the sandbox is charged for them. By default each
 * queue grows to the machine's tcp_rmem and tcp_wmem: some hundred clients that do not read hold
 * gigabytes. Small receive queues cost speed, so a few connections at a time get large ones: to a
 * distant host as large as the path needs, and between two ends on this machine so large that the
 * bytes are still in a CPU's cache when they are read.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_BUFFERS_H
#define GLOVEBOX_EGRESS_BUFFERS_H

#include <stdbool.h>

#define BUFFERS_BYTES      (128 << 10) /* of one queue; the kernel doubles it for receiving */
#define BUFFERS_WIDE_BYTES (1 << 20)   /* unsent bytes of a wide connection */
#define BUFFERS_NEAR_BYTES                                                                         \
	(256 << 10)    /* received bytes of a wide connection whose ends are both on this machine */
#define BUFFERS_WIDE 8 /* wide connections at a time */

enum buffers {
	BUFFERS_LEAST,
	BUFFERS_NEAR, /* wide, to an end on this machine */
	BUFFERS_FAR,  /* wide, to another machine: its receive queue may grow */
};

/* The buffers of a connection. @is_near: the other end is on this machine. */
static inline enum buffers buffers_of(bool is_wide, bool is_near)
{
	if (!is_wide)
		return BUFFERS_LEAST;
	return is_near ? BUFFERS_NEAR : BUFFERS_FAR;
}

/*
 * buffers_bound - bound the unsent and the unread bytes of a socket to BUFFERS_BYTES. A wide one
 * may have BUFFERS_WIDE_BYTES unsent, and BUFFERS_NEAR_BYTES, or what the path needs, unread.
 * @fd  borrowed; before connect(2), or just accepted.
 */
void buffers_bound(int fd, enum buffers which);

#endif
