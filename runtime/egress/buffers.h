/*
 * buffers - how much of the kernel's memory a connection may hold.
 *
 * What one side does not read waits in queues of the kernel, of the connection inside and of the
 * one outside, and those are ours: charged to nobody inside. Left alone each grows to the machine's
 * tcp_rmem and tcp_wmem, so some hundred clients that do not read hold gigabytes. Small queues for
 * what came cost speed, so a few connections at a time have large ones.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_BUFFERS_H
#define GLOVEBOX_EGRESS_BUFFERS_H

#include <stdbool.h>

#define BUFFERS_BYTES      (128 << 10) /* of one queue; for what came the kernel takes twice as many */
#define BUFFERS_WIDE_BYTES (1 << 20) /* of what waits to be sent by one of these */
#define BUFFERS_WIDE       8         /* connections at once whose queues grow as they need */

/*
 * buffers_bound - no more than BUFFERS_BYTES wait to be sent and to be read; where it is wide,
 * BUFFERS_WIDE_BYTES to be sent.
 * @fd  borrowed; before connect(2), or just accepted.
 */
void buffers_bound(int fd, bool is_wide);

#endif
